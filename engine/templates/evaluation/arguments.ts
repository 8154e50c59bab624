import { TemplateError } from '../template-error.ts'
import { isTrue, isUndefined, plain, typeName, type CallArguments, type Defined, type Value } from '../values/value.ts'

/** The arguments of a filter, a test or a function. All of them are defined. */
export type Arguments = CallArguments

/**
 * Returns the arguments by the names of the parameters; `undefined` where one was not given. Throws for an argument
 * without a parameter.
 */
export const bind = (args: Arguments, ...names: readonly string[]): Array<Defined | undefined> => {
  if (args.positional.length > names.length)
    throw new TemplateError(`too many arguments: ${args.positional.length}, at most ${names.length} are accepted`)
  const values = args.positional.map(defined)
  for (const [name, value] of args.named) {
    const index = names.indexOf(name)
    if (index < 0)
      throw new TemplateError(
        `unknown argument \`${name}\`${names.length > 0 ? `; accepted: ${names.join(', ')}` : ''}`,
      )
    if (values[index] !== undefined) throw new TemplateError(`the argument \`${name}\` is given twice`)
    values[index] = defined(value)
  }
  return Array.from(names, (_name, index) => values[index])
}

/** Refuses undefined values. */
export const defined = (value: Value): Defined => {
  if (isUndefined(value)) throw new TemplateError('undefined value')
  return value
}

/** An argument that must be given. */
export const required = (value: Value, name: string): Defined => {
  if (value === undefined) throw new TemplateError(`missing argument \`${name}\``)
  return defined(value)
}

/** A text argument. Throws for other types. */
export const asText = (given: Value, name: string): string => {
  const value = plain(given)
  if (typeof value === 'string') return value
  throw new TemplateError(`${name} must be a string, not ${typeName(value)}`)
}

const MAX_COUNT = 2 ** 31

/** An integer argument; a float with an integral value counts as one. */
export const asInteger = (value: Value, name: string): number => {
  const number = typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) < MAX_COUNT) return number
  throw new TemplateError(
    `${name} must be an integer${typeof number === 'number' ? ' below 2,147,483,648' : `, not ${typeName(value)}`}`,
  )
}

/** Whether an argument is none, or was not given. */
export const isOmitted = (value: Defined | undefined): value is null | undefined =>
  value === null || value === undefined

/** A flag; false when it is not given. */
export const asFlag = (value: Defined | undefined): boolean => value !== undefined && isTrue(value)

/** Throws unless there are no arguments. */
export const noArguments = (args: Arguments): void => void bind(args)
