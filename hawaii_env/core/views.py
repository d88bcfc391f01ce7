"""Types and code of numba for the records of `hawaii_env.core.layout`.

A record of one size is numba's own record type. Records of different lengths are a `ViewType`: a pointer to integers,
in front of which stands where each field of varying length begins. Attributes give numbers and arrays over the same
memory; nothing is copied.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic, lower_getattr_generic, lower_setattr_generic, models, register_model
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.np import arrayobj

I64 = ir.IntType(64)


class ViewType(types.Type):
    """The type of a record whose lengths differ.

    Args:
        record: numba's type of `Layout.dtype`, whose field names hold the axes.
    """

    def __init__(self, record: types.Record) -> None:
        self.axes: dict[str, tuple[str, ...]] = {}
        for described in record.fields:
            name, _, axes = described.partition("[")
            self.axes[name] = tuple(axes.rstrip("]").split(",")) if axes else ()
        varying = [name for name, axes in self.axes.items() if any(not axis.isdigit() for axis in axes)]
        self.index: dict[str, int] = {name: index for index, name in enumerate(varying)}
        self.offset: dict[str, int] = {}
        at = len(varying) + 1
        for name, axes in self.axes.items():
            if name not in self.index:
                self.offset[name] = at
                size = 1
                for axis in axes:
                    size *= int(axis)
                at += size
        super().__init__(name=f"View({record.name})")

    def field(self, name: str) -> types.Type | None:
        """Return the type of a field."""
        if name not in self.axes:
            return None
        axes = self.axes[name]
        return types.Array(types.int64, len(axes), "C") if axes else types.int64


@register_model(ViewType)
class ViewModel(models.PrimitiveModel):
    """A view in machine code: a pointer."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, I64.as_pointer())


@infer_getattr
class ViewAttributes(AttributeTemplate):
    """The types of a view's attributes."""

    key = ViewType

    def generic_resolve(self, view: Any, attr: str) -> Any:
        """Return the type of an attribute, or None."""
        return view.field(attr)


def _load(builder: Any, pointer: Any, index: int, changes: bool = False) -> Any:
    """Load a number of a record; where fields begin never changes, which lets the compiler move such loads."""
    value = builder.load(builder.gep(pointer, [ir.Constant(I64, index)]))
    if not changes:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(ViewType)
def _get(context: Any, builder: Any, view: ViewType, pointer: Any, attr: str) -> Any:
    axes = view.axes[attr]
    if not axes:
        return _load(builder, pointer, view.offset[attr], changes=True)
    kind = view.field(attr)
    if attr in view.index:
        start = _load(builder, pointer, view.index[attr])
        stop = _load(builder, pointer, view.index[attr] + 1)
    else:
        start = stop = ir.Constant(I64, view.offset[attr])
    inner = [
        ir.Constant(I64, int(axis)) if axis.isdigit() else _load(builder, pointer, view.offset[axis])
        for axis in axes[1:]
    ]
    if axes[0].isdigit():
        first: Any = ir.Constant(I64, int(axes[0]))
    elif axes[0]:
        first = _load(builder, pointer, view.offset[axes[0]])
    else:
        first = builder.sub(stop, start)
        for length in inner:
            first = builder.sdiv(first, length)
    shape, strides, step = [first, *inner], [], ir.Constant(I64, 8)
    for length in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, length)
    array = arrayobj.make_array(kind)(context, builder)
    arrayobj.populate_array(
        array,
        data=builder.gep(pointer, [start]),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=ir.Constant(I64, 8),
        meminfo=None,
    )
    return array._getvalue()


@lower_setattr_generic(ViewType)
def _set(context: Any, builder: Any, signature: Any, arguments: Any, attr: str) -> None:
    view, kind = signature.args
    pointer, value = arguments
    value = context.cast(builder, value, kind, types.int64)
    builder.store(value, builder.gep(pointer, [ir.Constant(I64, view.offset[attr])]))


@intrinsic
def view_record(typing_context: Any, array: Any, dtype: Any) -> Any:
    """Return the record at the beginning of an array of int64."""
    record = dtype.dtype
    varying = any("[" in name for name in record.fields)
    result = ViewType(record) if varying else record

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = arrayobj.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.bitcast(data, context.get_value_type(signature.return_type))

    return result(array, dtype), code


@intrinsic
def move_record(typing_context: Any, source: Any, target: Any) -> Any:
    """Copy the memory of a record over another of the same type and lengths."""
    if source != target or not isinstance(source, (types.Record, ViewType)):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one, other = arguments
        if isinstance(source, types.Record):
            size: Any = ir.Constant(I64, source.size)
        else:
            size = builder.mul(_load(builder, one, len(source.index)), ir.Constant(I64, 8))
        cgutils.raw_memcpy(builder, _bytes(builder, other), _bytes(builder, one), size, 1)
        return context.get_dummy_value()

    return types.void(source, target), code


def _bytes(builder: Any, pointer: Any) -> Any:
    return builder.bitcast(pointer, ir.IntType(8).as_pointer())


@intrinsic
def prefetch(typing_context: Any, rows: Any, row: Any) -> Any:
    """Ask for the memory of a row of an array, so that it is near when it is read."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        width = builder.extract_value(array.strides, 0)
        start = builder.gep(_bytes(builder, array.data), [builder.mul(arguments[1], width)])
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [start.type, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        lines = builder.udiv(builder.add(width, ir.Constant(I64, 63)), ir.Constant(I64, 64))
        with cgutils.for_range(builder, lines) as loop:
            line = builder.gep(start, [builder.mul(loop.index, ir.Constant(I64, 64))])
            builder.call(function, [line, ir.Constant(i32, 0), ir.Constant(i32, 3), ir.Constant(i32, 1)])
        return context.get_dummy_value()

    return types.void(rows, types.int64), code
