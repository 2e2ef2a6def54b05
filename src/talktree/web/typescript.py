"""The API's structs as TypeScript types, so that server and page cannot differ unnoticed."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, get_args

from msgspec import Struct
from msgspec import inspect as described

from talktree.views.html import block
from talktree.web.routes import TABLE
from talktree.web.schemas import edits_and_moves, general, library, segments, sharing, transcript
from talktree.web.schemas import inspect as inspected

MODULES = (block, general, library, transcript, segments, inspected, edits_and_moves, sharing)
HEAD = """// Written by `make docs` from the server's shapes; changes here are lost.
/* eslint-disable */
"""
WIDTH = 100


def format_types() -> str:
    """Return the module of all types."""
    taken = _collect_shapes(route.body for route in TABLE if route.body is not None)
    blocks = [HEAD]
    for module in MODULES:
        blocks.append(f"// {(module.__doc__ or '').strip()}\n")
        blocks += [_format_interface(shape, sent=shape in taken) for shape in list_structs(module)]
        blocks += [
            f"export type {name} =\n  | " + "\n  | ".join(_list_names(alias)) + ";\n"
            for name, alias in _find_unions(module)
        ]
    return "\n".join(blocks)


def list_structs(module: ModuleType) -> list[type[Struct]]:
    """Return the structs that a module declares, in its order."""
    found = [each for each in vars(module).values() if isinstance(each, type)]
    return [
        each for each in found if issubclass(each, Struct) and each.__module__ == module.__name__
    ]


def _find_unions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Return names for unions of structs."""
    for name, value in vars(module).items():
        parts = get_args(value)
        if parts and all(isinstance(each, type) and issubclass(each, Struct) for each in parts):
            yield name, value


def _list_names(alias: Any) -> list[str]:  # noqa: ANN401 - a union
    return [each.__name__ for each in get_args(alias)]


def _collect_shapes(roots: Iterable[type]) -> set[type]:
    """Return the structs with all structs in them."""
    found: set[type] = set()
    waiting: list[described.Type] = [described.type_info(root) for root in roots]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, described.StructType):
            if kind.cls not in found:
                found.add(kind.cls)
                waiting += [field.type for field in kind.fields]
        else:
            waiting += _find_inner_types(kind)
    return found


def _find_inner_types(kind: described.Type) -> list[described.Type]:
    match kind:
        case described.UnionType():
            return [*kind.types]
        case described.VarTupleType() | described.ListType():
            return [kind.item_type]
        case described.TupleType():
            return [*kind.item_types]
        case described.DictType():
            return [kind.value_type]
        case _:
            return []


def _format_interface(shape: type[Struct], *, sent: bool) -> str:
    """Return one struct as an interface. Fields with a default are optional in what the page sends;
    answers contain all."""
    info = described.type_info(shape)
    assert isinstance(info, described.StructType)
    notes = _read_field_notes(shape)
    lines = [
        _format_comment((shape.__doc__ or "").strip(), ""),
        f"export interface {shape.__name__} {{",
    ]
    if info.tag_field is not None:
        lines.append(f"  {info.tag_field}: {json.dumps(info.tag)};")
    for field in info.fields:
        if field.name in notes:
            lines.append(_format_comment(notes[field.name], "  "))
        optional = "?" if sent and not field.required else ""
        lines.append(f"  {field.encode_name}{optional}: {format_type(field.type)};")
    return "\n".join([*lines, "}\n"])


def _format_comment(text: str, indent: str) -> str:
    words = " ".join(text.replace("*/", "* /").split())
    return f"{indent}/** {words} */"


def _read_field_notes(shape: type[Struct]) -> dict[str, str]:
    """Return the docstrings of the fields."""
    (declared,) = ast.parse(inspect.getsource(shape)).body
    assert isinstance(declared, ast.ClassDef)
    notes: dict[str, str] = {}
    for before, after in zip(declared.body, declared.body[1:], strict=False):
        match before, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                notes[name] = text
    return notes


def format_type(kind: described.Type) -> str:
    """Return a type in TypeScript."""
    match kind:
        case described.StructType():
            return kind.cls.__name__
        case described.IntType() | described.FloatType():
            return "number"
        case described.StrType():
            return "string"
        case described.BoolType():
            return "boolean"
        case described.NoneType():
            return "null"
        case described.LiteralType():
            return " | ".join(json.dumps(value) for value in kind.values)
        case described.UnionType():
            return " | ".join(dict.fromkeys(map(format_type, kind.types)))
        case described.VarTupleType() | described.ListType():
            inner = format_type(kind.item_type)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case described.TupleType():
            return f"[{', '.join(map(format_type, kind.item_types))}]"
        case described.DictType():
            return f"Record<string, {format_type(kind.value_type)}>"
        case _:
            return "unknown"


if __name__ == "__main__":
    import sys

    sys.stdout.write(format_types())
