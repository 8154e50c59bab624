import { asText, bind, noArguments, required } from '../evaluation/arguments.ts'
import { compares } from '../evaluation/operators.ts'
import type { Comparison } from '../syntax/ast.ts'
import { printed } from '../values/print.ts'
import type { Test } from '../evaluation/runtime.ts'
import { TemplateError } from '../template-error.ts'
import { MapValue, SafeText, isCallable, isUndefined, plain, type Value } from '../values/value.ts'

const simple =
  (holds: (value: Value) => boolean): Test =>
  (value, args) => {
    noArguments(args)
    return holds(value)
  }

const comparing =
  (operator: Comparison): Test =>
  (value, args, runtime) => {
    const [other] = bind(args, 'other')
    return compares(operator, value, required(other, 'other'), runtime)
  }

const isNumber = (value: Value): value is bigint | number => typeof value === 'bigint' || typeof value === 'number'

/** The rest of a division; null if a value is neither a number nor a boolean. */
const rest = (given: Value, divisor: Value): bigint | number | null => {
  const value = typeof given === 'boolean' ? BigInt(given) : given
  if (typeof value === 'bigint' && typeof divisor === 'bigint') {
    if (divisor === 0n) throw new TemplateError('division by zero')
    return value % divisor
  }
  return isNumber(value) && isNumber(divisor) ? Number(value) % Number(divisor) : null
}

/** Whether dividing by two leaves this rest. */
const leaves = (expected: number) =>
  simple((value) => {
    const left = rest(value, 2n)
    return left !== null && Math.abs(Number(left)) === expected
  })

const textTest =
  (holds: (text: string, part: string) => boolean): Test =>
  (value, args) => {
    const [part] = bind(args, 'part')
    return holds(printed(value), printed(required(part, 'part')))
  }

const letters = (fits: (text: string) => boolean) => simple((value) => fits(asText(value, 'the value')))

const isSameAs: Test = (value, args) => {
  const [other] = bind(args, 'other')
  return plain(value) === plain(required(other, 'other'))
}

const isIterable = (value: Value) =>
  value === null || typeof plain(value) === 'string' || Array.isArray(value) || value instanceof MapValue

const named =
  (names: 'filters' | 'tests'): Test =>
  (value, args, { library }) => {
    noArguments(args)
    return library[names].has(asText(value, 'the value'))
  }

const NAMED: ReadonlyArray<readonly [readonly string[], Test]> = [
  [['defined'], simple((value) => !isUndefined(value))],
  [['undefined'], simple(isUndefined)],
  [['none'], simple((value) => value === null)],
  [['boolean'], simple((value) => typeof value === 'boolean')],
  [['true'], simple((value) => value === true)],
  [['false'], simple((value) => value === false)],
  [['number'], simple(isNumber)],
  [['integer', 'int'], simple((value) => typeof value === 'bigint')],
  [['float'], simple((value) => typeof value === 'number')],
  [['string'], simple((value) => typeof plain(value) === 'string')],
  [['sequence'], simple((value) => Array.isArray(value))],
  [['mapping'], simple((value) => value instanceof MapValue)],
  [['iterable'], simple(isIterable)],
  [['callable'], simple(isCallable)],
  [['safe', 'escaped'], simple((value) => value instanceof SafeText)],
  [['odd'], leaves(1)],
  [['even'], leaves(0)],
  [
    ['divisibleby'],
    (value, args) => {
      const [divisor] = bind(args, 'num')
      const left = rest(value, required(divisor, 'num'))
      return left !== null && Number(left) === 0
    },
  ],
  [['startingwith'], textTest((text, part) => text.startsWith(part))],
  [['endingwith'], textTest((text, part) => text.endsWith(part))],
  [['lower'], letters((text) => /^\p{Lowercase}*$/u.test(text))],
  [['upper'], letters((text) => /^\p{Uppercase}*$/u.test(text))],
  [['sameas'], isSameAs],
  [['filter'], named('filters')],
  [['test'], named('tests')],
  [['in'], comparing('in')],
  [['eq', 'equalto', '=='], comparing('==')],
  [['ne', '!='], comparing('!=')],
  [['lt', 'lessthan', '<'], comparing('<')],
  [['le', '<='], comparing('<=')],
  [['gt', 'greaterthan', '>'], comparing('>')],
  [['ge', '>='], comparing('>=')],
]

/** The tests of `is`, by name. `select` and `reject` take them too. */
export const tests: ReadonlyMap<string, Test> = new Map(
  NAMED.flatMap(([names, test]) => names.map((name): [string, Test] => [name, test])),
)
