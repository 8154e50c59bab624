import { fromJson, type Value } from '../values/value.ts'
import type { JsonObject } from '../../json.ts'

/** The names that an expression sees. */
export type Scope = {
  readonly get: (name: string) => Value
  /** Assigns to a name of this scope. It does not change outer scopes. */
  readonly set: (name: string, value: Value) => void
}

/** The outermost scope: the context of the caller, then the functions. A value is converted when it is first used. */
export const contextScope = (context: JsonObject, functions: (name: string) => Value): Scope => {
  const values = new Map<string, Value>()
  return {
    get: (name) => {
      if (values.has(name)) return values.get(name)
      // Own keys alone: `constructor` is no name unless the context has it.
      const json = Object.hasOwn(context, name) ? context[name] : undefined
      const value = json === undefined ? functions(name) : fromJson(json)
      values.set(name, value)
      return value
    },
    set: (name, value) => void values.set(name, value),
  }
}

/** A scope inside another one. */
export const innerScope = (outer: Scope): Scope => {
  const values = new Map<string, Value>()
  return {
    get: (name) => (values.has(name) ? values.get(name) : outer.get(name)),
    set: (name, value) => void values.set(name, value),
  }
}
