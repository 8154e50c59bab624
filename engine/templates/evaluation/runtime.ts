import type { Arguments } from './arguments.ts'
import { TemplateError } from '../template-error.ts'
import { MapValue, isList, plain, typeName, type Value } from '../values/value.ts'

/** Macros and recursive loops called inside each other. */
const MAX_DEPTH = 500
/** Operations of one rendering, items of lists included. About a second. */
const MAX_STEPS = 5_000_000
/** Characters that one rendering creates, intermediate texts included. */
const MAX_CHARACTERS = 64 * 2 ** 20
/** Characters of one text. */
export const MAX_TEXT = 16 * 2 ** 20

export type Filter = (value: Value, args: Arguments, runtime: Runtime) => Value
export type Test = (value: Value, args: Arguments, runtime: Runtime) => boolean
export type GlobalFunction = (args: Arguments, runtime: Runtime) => Value

/** What templates can name in addition to their context. */
export type Library = {
  readonly filters: ReadonlyMap<string, Filter>
  readonly tests: ReadonlyMap<string, Test>
  readonly functions: ReadonlyMap<string, GlobalFunction>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly serviceNow: string | undefined
}

/** One rendering: its limits, and the line that it has reached. */
export class Runtime {
  readonly library: Library
  line = 1
  #steps = 0
  #characters = 0
  #depth = 0

  constructor(library: Library) {
    this.library = library
  }

  /** Counts operations, or items of a list that is made or read. */
  count(steps = 1): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS)
      throw new TemplateError(`the template takes more than ${MAX_STEPS.toLocaleString('en')} steps`)
  }

  /** Counts a text that is about to be made. */
  countText(characters: number): void {
    this.#characters += characters
    if (characters > MAX_TEXT || this.#characters > MAX_CHARACTERS)
      throw new TemplateError(
        `the template makes more text than allowed (${MAX_TEXT / 2 ** 20} MiB at once, ${MAX_CHARACTERS / 2 ** 20} MiB in all)`,
      )
  }

  /** Runs a step that may contain itself. */
  deeper<T>(step: () => T): T {
    if (++this.#depth > MAX_DEPTH)
      throw new TemplateError(`macros and loops call each other more than ${MAX_DEPTH} deep`)
    const result = step()
    this.#depth--
    return result
  }

  filter(name: string): Filter {
    return this.library.filters.get(name) ?? fail(`unknown filter \`${name}\``)
  }

  test(name: string): Test {
    return this.library.tests.get(name) ?? fail(`unknown test \`${name}\``)
  }

  /** The items of a value: of a list, the keys of a map, the characters of a text; none has no items. */
  items(given: Value): readonly Value[] {
    const value = plain(given)
    const items = iteratedItems(value)
    if (items === null) return fail(`a value of type ${typeName(value)} has no items`)
    this.count(items.length)
    return items
  }
}

const fail = (message: string): never => {
  throw new TemplateError(message)
}

const iteratedItems = (value: Value): readonly Value[] | null => {
  if (isList(value)) return value
  if (value instanceof MapValue) return value.keys()
  if (typeof value === 'string') return Array.from(value)
  return value === null ? [] : null
}
