/**
 * Arithmetic evaluates the values of variables as expressions again, subscripts with substitutions included.
 * So an expression is harmless only when every name in it surely holds a number.
 */
import type { ArithmeticExpression } from "unbash";
import type { Scope } from "./expansion-scope.ts";
import type { Field } from "./field.ts";
import { expandParts } from "./field-builder.ts";
import { isNumeric } from "./state.ts";

const number = /^(?:\d[\d]*|0[xX][0-9a-fA-F]+|\d{1,2}#[0-9a-zA-Z@_]+)$/;
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const assignment = /^(?:[-+*/%&|^]|<<|>>)?=$/;

const maxLength = 2_000;

export function visitArithmetic(expression: ArithmeticExpression | undefined, scope: Scope): void {
  if (expression === undefined) {
    scope.doubt("arithmetic that cannot be read");
    return;
  }
  if (expression.end - expression.pos > maxLength) {
    scope.doubt("arithmetic that is too long to follow");
    return;
  }
  switch (expression.type) {
    case "ArithmeticBinary":
      if (assignment.test(expression.operator)) {
        if (expression.operator !== "=") visitArithmetic(expression.left, scope);
        visitArithmetic(expression.right, scope);
        store(expression.left, scope);
        return;
      }
      visitChain(expression, scope);
      return;
    case "ArithmeticUnary":
      visitArithmetic(expression.operand, scope);
      if (expression.operator === "++" || expression.operator === "--") store(expression.operand, scope);
      return;
    case "ArithmeticTernary":
      visitArithmetic(expression.test, scope);
      visitArithmetic(expression.consequent, scope);
      visitArithmetic(expression.alternate, scope);
      return;
    case "ArithmeticGroup":
      visitArithmetic(expression.expression, scope);
      return;
    case "ArithmeticWord":
      visitWord(expression.value, expression.parts, scope);
      return;
    case "ArithmeticCommandExpansion": {
      const printed = scope.substitute(expression.script);
      if (printed?.length !== 1 || printed[0] === undefined || !isNumeric(printed[0])) scope.doubt("arithmetic on what a command prints");
      return;
    }
    default:
      scope.doubt("arithmetic that is not known");
  }
}

/** `1+1+1+…` leans to the left as deep as it is long; walked without recursion. */
function visitChain(expression: Extract<ArithmeticExpression, { type: "ArithmeticBinary" }>, scope: Scope): void {
  let left: ArithmeticExpression = expression;
  const right: ArithmeticExpression[] = [];
  while (left.type === "ArithmeticBinary" && !assignment.test(left.operator)) {
    right.push(left.right);
    left = left.left;
  }
  visitArithmetic(left, scope);
  for (let index = right.length - 1; index >= 0; index -= 1) visitArithmetic(right[index], scope);
}

function visitWord(value: string, parts: Extract<ArithmeticExpression, { type: "ArithmeticWord" }>["parts"], scope: Scope): void {
  if (parts === undefined) {
    if (number.test(value)) return;
    if (identifier.test(value)) known(scope.lookup(value), scope);
    else scope.doubt("arithmetic that evaluates a subscript or text");
    return;
  }
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only?.type === "SimpleExpansion") {
    known(scope.lookup(only.text.slice(1)), scope);
    return;
  }
  if (only?.type === "ParameterExpansion" && only.operation === undefined && only.index === undefined && only.prefix !== "!") {
    if (only.prefix !== "#") known(scope.lookup(only.parameter), scope);
    return;
  }
  if (only?.type === "ArithmeticExpansion") {
    visitArithmetic(only.expression, scope);
    return;
  }
  expandParts(parts, scope);
  scope.doubt("arithmetic on a value that is not known");
}

function known(value: Field | undefined, scope: Scope): void {
  if (value === undefined || !isNumeric(value)) scope.doubt("arithmetic on a value that is not known");
}

function store(target: ArithmeticExpression, scope: Scope): void {
  if (target.type === "ArithmeticWord" && identifier.test(target.value)) {
    scope.assign(target.value, { kind: "number", text: "", many: false, shown: target.value });
  } else scope.doubt("arithmetic that assigns to a subscript");
}
