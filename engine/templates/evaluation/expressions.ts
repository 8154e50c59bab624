import type { Arguments as ArgumentNodes, Expression } from '../syntax/ast.ts'
import { defined } from './arguments.ts'
import type { Arguments } from './arguments.ts'
import { attribute, binary, compares, item, negative, slice } from './operators.ts'
import type { Runtime } from './runtime.ts'
import type { Scope } from './scope.ts'
import { TemplateError } from '../template-error.ts'
import { MapValue, NOTHING, asKey, isCallable, isTrue, isUndefined, typeName } from '../values/value.ts'
import type { Key, Value } from '../values/value.ts'

/**
 * Evaluates an expression. `body` is the text that a filter block filters. Throws `TemplateError` for every use of an
 * undefined value but `is defined`, `is undefined` and `default`.
 *
 * It is long because it has one case for each kind of expression.
 */
export const evaluate = (node: Expression, scope: Scope, runtime: Runtime, body?: string): Value => {
  runtime.count()
  const sub = (inner: Expression): Value => evaluate(inner, scope, runtime, body)
  const condition = (inner: Expression): boolean => isTrue(used(sub(inner), inner))
  switch (node.kind) {
    case 'constant':
      return node.value
    case 'name':
      return scope.get(node.name)
    case 'list':
      return node.items.map((inner) => used(sub(inner), inner))
    case 'map':
      return MapValue.from(
        node.pairs.map(([key, value]): [Key, Value] => [asKey(used(sub(key), key)), used(sub(value), value)]),
      )
    case 'attribute': {
      const target = used(sub(node.target), node.target)
      runtime.line = node.line
      return attribute(target, node.name)
    }
    case 'item': {
      const target = used(sub(node.target), node.target)
      const index = used(sub(node.index), node.index)
      runtime.line = node.line
      return item(target, index, runtime)
    }
    case 'slice': {
      const target = used(sub(node.target), node.target)
      const bounds = node.bounds.map((bound) => (bound === null ? null : used(sub(bound), bound)))
      runtime.line = node.line
      return slice(target, bounds, runtime)
    }
    case 'call':
      return call(node, scope, runtime, body)
    case 'filter': {
      const target = sub(node.target)
      const acceptsUndefined = node.name === 'default' || node.name === 'd'
      const args = evaluateArguments(node.args, scope, runtime, body)
      runtime.line = node.line
      return runtime.filter(node.name)(acceptsUndefined ? target : used(target, node.target), args, runtime)
    }
    case 'test': {
      const target = sub(node.target)
      const acceptsUndefined = node.name === 'defined' || node.name === 'undefined'
      const args = evaluateArguments(node.args, scope, runtime, body)
      runtime.line = node.line
      return (
        runtime.test(node.name)(acceptsUndefined ? target : used(target, node.target), args, runtime) !== node.isNegated
      )
    }
    case 'negative': {
      const operand = used(sub(node.operand), node.operand)
      runtime.line = node.line
      return negative(operand)
    }
    case 'not':
      return !condition(node.operand)
    case 'binary': {
      const [left, right] = [used(sub(node.left), node.left), used(sub(node.right), node.right)]
      runtime.line = node.line
      return binary(node.operator, left, right, runtime)
    }
    case 'and': {
      const left = used(sub(node.left), node.left)
      return isTrue(left) ? sub(node.right) : left
    }
    case 'or': {
      const left = used(sub(node.left), node.left)
      return isTrue(left) ? left : sub(node.right)
    }
    case 'comparison': {
      let left = used(sub(node.first), node.first)
      for (const [operator, operand] of node.rest) {
        const right = used(sub(operand), operand)
        runtime.line = node.line
        if (!compares(operator, left, right, runtime)) return false
        left = right
      }
      return true
    }
    case 'choice':
      if (condition(node.condition)) return sub(node.chosen)
      return node.otherwise === null ? NOTHING : sub(node.otherwise)
    case 'body':
      return body ?? ''
  }
}

/** Refuses an undefined value, and names what is undefined. */
const used = (value: Value, node: Expression) => {
  if (!isUndefined(value)) return value
  throw new TemplateError(undefinedMessage(node), node.line)
}

/** What is undefined, as a person would name it. */
export const undefinedMessage = (node: Expression): string => {
  if (node.kind === 'name') return `\`${node.name}\` is undefined`
  const path = pathOf(node)
  return path === null ? 'undefined value' : `\`${path}\` is undefined`
}

const pathOf = (node: Expression): string | null => {
  if (node.kind === 'name') return node.name
  if (node.kind === 'attribute') {
    const target = pathOf(node.target)
    return target === null ? null : `${target}.${node.name}`
  }
  if (node.kind !== 'item' || node.index.kind !== 'constant') return null
  const target = pathOf(node.target)
  const { value } = node.index
  if (typeof value !== 'string' && typeof value !== 'bigint') return null
  return target === null ? null : `${target}[${typeof value === 'string' ? JSON.stringify(value) : String(value)}]`
}

/** Evaluates the arguments of a call. Each must be defined. */
const evaluateArguments = (args: ArgumentNodes, scope: Scope, runtime: Runtime, body?: string): Arguments => {
  if (args.positional.length === 0 && args.named.length === 0) return NONE
  return {
    positional: args.positional.map((node) => used(evaluate(node, scope, runtime, body), node)),
    named: new Map(args.named.map(([name, node]) => [name, used(evaluate(node, scope, runtime, body), node)])),
  }
}

const NONE: Arguments = { positional: [], named: new Map() }

const call = (node: Expression & { kind: 'call' }, scope: Scope, runtime: Runtime, body?: string): Value => {
  const { target } = node
  const callee = evaluate(target, scope, runtime, body)
  runtime.line = node.line
  if (!isCallable(callee)) {
    if (target.kind === 'attribute') {
      const owner = typeName(defined(evaluate(target.target, scope, runtime, body)))
      throw new TemplateError(
        `a value of type ${owner} has no method \`${target.name}\`; filters are written with \`|\``,
      )
    }
    if (isUndefined(callee))
      throw new TemplateError(target.kind === 'name' ? `unknown function \`${target.name}\`` : undefinedMessage(target))
    throw new TemplateError(`a value of type ${typeName(callee)} cannot be called`)
  }
  const args = evaluateArguments(node.args, scope, runtime, body)
  runtime.line = node.line
  return callee.call(args)
}
