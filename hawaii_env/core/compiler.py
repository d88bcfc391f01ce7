"""Machine code of rules, by numba.

numba makes machine code of every function alone, with wrappers for Python, and optimises it again in each caller.
Here rules are only typed and lowered, once for each signature. Entry points, the few rules that Python calls, are made
together: all rules that they call are linked into one library, optimised once and made into machine code once.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any, Literal, cast

from llvmlite import binding
from numba.core import serialize, sigutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags, compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.errors import NumbaRuntimeError
from numba.core.ir import Assign, Expr
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import (
    AnnotateTypes,
    DumpParforDiagnostics,
    InlineOverloads,
    NativeLowering,
    NopythonRewrites,
)
from numba.core.typing.typeof import typeof
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteSemanticConstants,
    WithLifting,
)

from hawaii_env.core import closure

Signature = tuple[Any, ...]
_target: Any = cpu_target

Results = dict[tuple[str, Signature], CompileResult]
"""Compiled entry points by name and types of arguments."""

_rules: dict[FunctionType, CompiledRule] = {}


class RuleLibrary(JITCodeLibrary):
    """The intermediate code of one rule. It is linked into libraries of entry points and never becomes machine code."""

    def finalize(self) -> None:
        """Accept nothing more; there is nothing to link or to optimise here."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"  # libraries that meet may define the same helper of numba
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return self._final_module


class EntryLibrary(JITCodeLibrary):
    """The machine code of entry points and of all rules that they call."""

    def finalize(self) -> None:
        """Link each rule once, optimise, and make machine code."""
        self._linking_libraries = _all_libraries(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        # Only wrappers are called from outside. LLVM optimises better what it knows all callers of.
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._optimize_final_module()

    def _get_module_for_linking(self) -> Any:
        # numba files this beside the machine code, to read which functions there are. Nothing is linked with it.
        functions = self._final_module.functions
        names = [f.name for f in functions if f.linkage == binding.Linkage.external and not f.is_declaration]
        return binding.parse_assembly("\n".join(f'define void @"{name}"() {{ ret void }}' for name in names))


def _all_libraries(libraries: list[Any]) -> list[Any]:
    """Return libraries and those of the rules that they call; callers first, as linking drops what no caller needs."""
    found: dict[Any, None] = {}
    ordered: list[Any] = []

    def add(library: Any) -> None:
        if library not in found:
            found[library] = None
            if isinstance(library, RuleLibrary):
                for called in library._linking_libraries:
                    add(called)
            ordered.append(library)

    for library in libraries:
        add(library)
    return ordered[::-1]


@register_pass(mutates_CFG=True, analysis_only=False)
class RuleLowering(NativeLowering):
    """numba's lowering, without machine code and without wrappers for Python and C."""

    _name = "rule_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower a rule to intermediate code, and let other rules call it.

        numba counts the references of arrays, with locked instructions. Callers hold the arrays of a rule that makes
        and returns none, so it is lowered without counting.
        """
        state.flags.no_compile = True
        try:
            self._lower(state, counting=_gets_arrays(state))
        except NumbaRuntimeError:  # it makes memory
            self._lower(state, counting=True)
        key = object()  # numba finds a callee by what would be its function in Python
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True

    def _lower(self, state: Any, counting: bool) -> None:
        target = state.targetctx
        state.library = RuleLibrary(target.codegen(), state.func_id.func_qualname)
        state.targetctx = target.subtarget(enable_nrt=counting)
        try:
            super().run_pass(state)
        finally:
            state.targetctx = target


BORROWING = {"getattr", "getitem", "static_getitem", "build_tuple", "cast", "phi", "getiter", "iternext", "pair_first"}
"""Expressions of numba whose arrays belong to something else, which outlives the rule."""


def _gets_arrays(state: Any) -> bool:
    """Return True if a rule returns arrays, or gets any that nobody else may hold."""
    models, names = state.targetctx.data_model_manager, state.typemap
    values: list[tuple[str, Any]] = [
        (statement.target.name, statement.value)
        for block in state.func_ir.blocks.values()
        for statement in block.find_insts(Assign)
        if isinstance(statement.value, Expr)
    ]
    return models[state.return_type].contains_nrt_meminfo() or any(
        value.op not in BORROWING and models[names[name]].contains_nrt_meminfo() for name, value in values
    )


NEEDLESS = (
    WithLifting, InlineClosureLikes, RewriteSemanticConstants, DeadBranchPrune, MakeFunctionToJitFunction,
    InlineInlinables, FindLiterallyCalls, LiteralUnroll, LiteralPropagationSubPipelinePass, InlineOverloads,
    NopythonRewrites, AnnotateTypes, DumpParforDiagnostics,
)  # fmt: skip
"""Passes for things that rules do not have (closures, `with`, array expressions, constants as arguments), or for
reports. LLVM removes branches that are never taken."""


class RuleFlags(Flags):
    """numba's options, all of them set. numba looks functions up by its options thousands of times, and would build
    dicts of them each time.
    """

    def __init__(self, copy_from: Any) -> None:
        """Copy options, with defaults for those that are not set."""
        super().__init__()
        self._values: dict[str, Any] = dict(copy_from.values())

    def values(self) -> dict[str, Any]:
        """Return all options by name."""
        return self._values


class RuleCompiler(CompilerBase):
    """numba's pipeline with `RuleLowering`, without passes that do nothing for rules."""

    def __init__(self, *arguments: Any) -> None:
        """Prepare the compiling of one rule; see numba."""
        super().__init__(*arguments)
        self.state.flags = RuleFlags(self.state.flags)

    def define_pipelines(self) -> list[Any]:
        """Return the pipeline."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (RuleLowering if each is NativeLowering else each, text)
            for each, text in pipeline.passes
            if each not in NEEDLESS
        ]
        pipeline.finalize()
        return [pipeline]


class CompiledRule(CPUDispatcher):
    """A rule as other rules call it, with its intermediate code by types of arguments."""

    def __init__(self, function: FunctionType, bounds_check: bool) -> None:
        """Prepare a rule; it is compiled when a caller is."""
        options = {
            "nopython": True, "nogil": True, "boundscheck": bounds_check,
            "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
        }  # fmt: skip
        super().__init__(function, {}, options, pipeline_class=RuleCompiler)

    def add_overload(self, cres: Any) -> None:
        """Keep the code of one signature, without offering it to Python."""
        self.overloads[tuple(cres.signature.args)] = cres

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the template of a call. All integers are int64, given or by default, so that a rule compiles once."""
        folded = self.fold_argument_types(args, kws)[1]
        return super().get_call_template(tuple(map(_usual, folded)), {})


def _usual(given: Any) -> Any:
    """Return the type that stands for an argument's type: numba would compile a rule anew for each constant."""
    if isinstance(given, types.Omitted):
        given = typeof(given.value)
    given = types.unliteral(given)
    return types.int64 if given in (types.int8, types.int16, types.int32, types.uint8, types.uint16) else given


class EntryPoint(CPUDispatcher):
    """A rule as Python calls it: picks the machine code by the types of the arguments."""

    def __init__(
        self,
        function: FunctionType,
        bounds_check: bool,
        load: Callable[[], object],
        announce: Callable[[], object],
    ) -> None:
        """Prepare an entry point.

        Args:
            function: the rule.
            bounds_check: compiled code checks every index.
            load: called before anything is compiled; it may add machine code from the cache.
            announce: called when the function is compiled after all.
        """
        super().__init__(function, {}, {"nopython": True, "nogil": True})
        self._bounds_check = bounds_check
        self._load = load
        self._announce = announce

    def compile(self, sig: Any) -> Any:
        """Return the machine code for a signature; load or compile it first if it is missing."""
        args, _ = sigutils.normalize_signature(sig)
        with global_compiler_lock:
            if args not in self.overloads:
                self._load()
            if args not in self.overloads:
                self._announce()
                name = self.py_func.__name__
                self.add_overload(build(name, {name: (self.py_func, args)}, self._bounds_check)[name, args])
            return self.overloads[args].entry_point

    def signature_of(self, arguments: tuple[Any, ...]) -> Signature:
        """Return the types of arguments."""
        return tuple(map(self.typeof_pyval, arguments))


def _rule(function: FunctionType, bounds_check: bool) -> CompiledRule:
    """Return a rule as other rules call it, and make it and the rules that it calls known to numba."""
    wanted = [each for each in closure.closure(function) if each not in _rules]
    for each in wanted:
        _rules[each] = CompiledRule(each, bounds_check)
    for each, compiled in closure.COMPILED_COPIES.items():
        if compiled in wanted:
            _target.typing_context.insert_global(each, types.Dispatcher(_rules[compiled]))
    if wanted:
        _add_intrinsics()
    return _rules[closure.COMPILED_COPIES[function]]


def is_lowered(rule: FunctionType) -> bool:
    """Return True if this process has the intermediate code of a rule."""
    return rule in _rules and bool(_rules[rule].overloads)


@cache
def _add_intrinsics() -> None:
    """Make functions that only machine code has known to numba."""
    context = _target.typing_context
    for function, load in closure.INTRINSICS.items():
        intrinsic = load()
        context.refresh()
        context.insert_global(function, context.resolve_value_type(intrinsic))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause Python's garbage collector: it takes a tenth of the time, and nearly all is in use."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@global_compiler_lock
@_without_collector()
def build(name: str, entries: Mapping[str, tuple[FunctionType, Signature]], bounds_check: bool) -> Results:
    """Compile entry points into one library.

    Args:
        name: of the library.
        entries: rules and types of arguments, by name.
        bounds_check: compiled code checks every index.

    Raises:
        RuleError: a rule holds an array so large that numba points to it.
    """
    codegen = _target.target_context.codegen()
    library = EntryLibrary(codegen, name)
    library.enable_object_caching()
    found: Results = {}
    for key, (function, args) in entries.items():
        rule = _rule(function, bounds_check)
        rule.compile(args)
        result = rule.overloads[args]
        library.add_linking_library(result.library)
        result.target_context.create_cpython_wrapper(
            library, result.fndesc, result.environment, result.call_helper, release_gil=True
        )
        found[key, args] = result
    if library.has_dynamic_globals:
        raise closure.RuleError(f"{name} holds a constant array of a megabyte or more: pass it as an argument")
    for at, result in found.items():
        function = result.target_context.get_executable(library, result.fndesc, result.environment)
        found[at] = result._replace(library=library, entry_point=function)
    _set_environments(library, _environments(found))
    return found


def _environments(results: Results) -> list[Any]:
    """Return what rules of a library need of Python to raise exceptions."""
    return next(iter(results.values()))._find_referenced_environments()


def _set_environments(library: Any, environments: list[Any]) -> None:
    for environment in environments:
        library.codegen.set_env(environment.env_name, environment)


def to_bytes(results: Results) -> bytes:
    """Return results of one `build` as bytes."""
    library = next(iter(results.values())).library
    parts = []
    for at, result in results.items():
        result.fndesc.typemap = result.fndesc.calltypes = None  # as numba does: they need not be pickled, and may not
        parts.append((at, result.fndesc, result.environment, result.signature))
    return cast(bytes, serialize.dumps((library.serialize_using_object_code(), parts, _environments(results))))


@global_compiler_lock
def from_bytes(data: bytes) -> Results:
    """Return results from what `to_bytes` returned, in whatever process."""
    code, parts, environments = pickle.loads(data)
    context = _target.target_context
    context.refresh()  # or nothing is there yet that machine code calls
    library = context.codegen().unserialize_library(code)
    found: Results = {}
    for at, fndesc, environment, signature in parts:
        function = context.get_executable(library, fndesc, environment)
        found[at] = compile_result(
            typing_context=context.typing_context,
            target_context=context,
            entry_point=function,
            fndesc=fndesc,
            library=library,
            environment=environment,
            signature=signature,
            objectmode=False,
        )
    _set_environments(library, environments)
    return found
