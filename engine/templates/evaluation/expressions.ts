import type { Arguments as ArgumentNodes, Expression } from '../syntax/ast.ts'
import type { Arguments } from './arguments.ts'
import { attribute, binary, compares, item, negative, slice } from './operators.ts'
import type { Runtime } from './runtime.ts'
import type { Scope } from './scope.ts'
import { TemplateError } from '../template-error.ts'
import {
  MapValue,
  NOTHING,
  asKey,
  isCallable,
  isTrue,
  isUndefined,
  typeName,
  type Callable,
  type Defined,
  type Key,
  type Value,
} from '../values/value.ts'

/**
 * Evaluates an expression. `body` is the text that a filter block filters. Throws `TemplateError` for every use of an
 * undefined value but `is defined`, `is undefined` and `default`.
 */
export const evaluate = (node: Expression, scope: Scope, runtime: Runtime, body = ''): Value =>
  value(node, { scope, runtime, body })

type Place = { readonly scope: Scope; readonly runtime: Runtime; readonly body: string }
type Node<Kind extends Expression['kind']> = Extract<Expression, { readonly kind: Kind }>

// One small function for each kind: a single large one would need much more of the stack for every level of recursion.
const EVALUATORS: { readonly [Kind in Expression['kind']]: (node: Node<Kind>, place: Place) => Value } = {
  constant: (node) => node.value,
  name: (node, { scope }) => scope.get(node.name),
  list: (node, place) => node.items.map((item) => used(item, place)),
  map: (node, place) =>
    MapValue.from(node.pairs.map(([key, member]): [Key, Value] => [asKey(used(key, place)), used(member, place)])),
  attribute: (node, place) => {
    const target = used(node.target, place)
    place.runtime.line = node.line
    return attribute(target, node.name)
  },
  item: (node, place) => {
    const target = used(node.target, place)
    const index = used(node.index, place)
    place.runtime.line = node.line
    return item(target, index, place.runtime)
  },
  slice: (node, place) => {
    const target = used(node.target, place)
    const bounds = node.bounds.map((bound) => (bound === null ? null : used(bound, place)))
    place.runtime.line = node.line
    return slice(target, bounds, place.runtime)
  },
  call: (node, place) => {
    const callee = calleeOf(node, place)
    const args = evaluateArguments(node.args, place)
    place.runtime.line = node.line
    return callee.call(args)
  },
  filter: (node, place) => {
    const acceptsUndefined = node.name === 'default' || node.name === 'd'
    const target = acceptsUndefined ? value(node.target, place) : used(node.target, place)
    const args = evaluateArguments(node.args, place)
    place.runtime.line = node.line
    return place.runtime.filter(node.name)(target, args, place.runtime)
  },
  test: (node, place) => {
    const acceptsUndefined = node.name === 'defined' || node.name === 'undefined'
    const target = acceptsUndefined ? value(node.target, place) : used(node.target, place)
    const args = evaluateArguments(node.args, place)
    place.runtime.line = node.line
    return place.runtime.test(node.name)(target, args, place.runtime) !== node.isNegated
  },
  negative: (node, place) => {
    const operand = used(node.operand, place)
    place.runtime.line = node.line
    return negative(operand)
  },
  not: (node, place) => !isTrue(used(node.operand, place)),
  binary: (node, place) => {
    const left = used(node.left, place)
    const right = used(node.right, place)
    place.runtime.line = node.line
    return binary(node.operator, left, right, place.runtime)
  },
  and: (node, place) => {
    const left = used(node.left, place)
    return isTrue(left) ? value(node.right, place) : left
  },
  or: (node, place) => {
    const left = used(node.left, place)
    return isTrue(left) ? left : value(node.right, place)
  },
  comparison: (node, place) => {
    let left = used(node.first, place)
    for (const [operator, operand] of node.rest) {
      const right = used(operand, place)
      place.runtime.line = node.line
      if (!compares(operator, left, right, place.runtime)) return false
      left = right
    }
    return true
  },
  choice: (node, place) => {
    if (isTrue(used(node.condition, place))) return value(node.chosen, place)
    return node.otherwise === null ? NOTHING : value(node.otherwise, place)
  },
  body: (_node, { body }) => body,
}

const value = (node: Expression, place: Place): Value => {
  place.runtime.count()
  // The table has the right function for the kind of the node; the type system cannot follow that.
  const evaluator = EVALUATORS[node.kind] as (node: Expression, place: Place) => Value
  return evaluator(node, place)
}

/** The value of an expression. Refuses an undefined one, and names what is undefined. */
const used = (node: Expression, place: Place): Defined => {
  const result = value(node, place)
  if (!isUndefined(result)) return result
  throw new TemplateError(undefinedMessage(node), node.line)
}

/** What is undefined, as a person would name it. */
export const undefinedMessage = (node: Expression): string => {
  if (node.kind === 'name') return `\`${node.name}\` is undefined`
  const path = expressionPath(node)
  return path === null ? 'undefined value' : `\`${path}\` is undefined`
}

const expressionPath = (node: Expression): string | null => {
  if (node.kind === 'name') return node.name
  if (node.kind === 'attribute') {
    const target = expressionPath(node.target)
    return target === null ? null : `${target}.${node.name}`
  }
  if (node.kind !== 'item' || node.index.kind !== 'constant') return null
  const target = expressionPath(node.target)
  const { value } = node.index
  if (typeof value !== 'string' && typeof value !== 'bigint') return null
  return target === null ? null : `${target}[${typeof value === 'string' ? JSON.stringify(value) : String(value)}]`
}

/** Evaluates the arguments of a call. Each must be defined. */
const evaluateArguments = ({ positional, named }: ArgumentNodes, place: Place): Arguments => {
  if (positional.length === 0 && named.length === 0) return NONE
  return {
    positional: positional.map((node) => used(node, place)),
    named: new Map(named.map(([name, node]) => [name, used(node, place)])),
  }
}

const NONE: Arguments = { positional: [], named: new Map() }

const calleeOf = ({ target, line }: Node<'call'>, place: Place): Callable => {
  const callee = value(target, place)
  place.runtime.line = line
  if (isCallable(callee)) return callee
  if (target.kind === 'attribute') {
    const owner = typeName(used(target.target, place))
    throw new TemplateError(`a value of type ${owner} has no method \`${target.name}\`; filters are written with \`|\``)
  }
  if (!isUndefined(callee)) throw new TemplateError(`a value of type ${typeName(callee)} cannot be called`)
  throw new TemplateError(target.kind === 'name' ? `unknown function \`${target.name}\`` : undefinedMessage(target))
}
