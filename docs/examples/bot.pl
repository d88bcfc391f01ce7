#!/usr/bin/env perl
# A bot for hawaii_env in Perl, with core modules alone: it ends nothing before it must. docs/bots.md has the protocol.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # flush every line
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    my $type    = $message->{type};
    last if $type eq 'quit';
    if ($type eq 'hello') {
        srand($message->{seed} // time);
        print encode_json({ type => 'ready', name => 'patient perl', want => [] }), "\n";
    }
    elsif ($type eq 'decide') {
        my @legal = @{ $message->{legal} };
        my @busy  = grep { $_->{text} !~ /^(done|pass)\b/ } @legal;
        my $taken = $busy[ rand @busy ];
        print encode_json({ type => 'action', action => $taken->{action}, id => $message->{id} }), "\n";
    }
}
