import type { Arguments } from './arguments.ts'
import { TemplateError } from '../template-error.ts'
import { equal, type Callable, type Value } from '../values/value.ts'

/** The value of `loop` inside a `for`. */
export class LoopState implements Callable {
  readonly #items: readonly Value[]
  readonly #depth: number
  readonly #again: ((items: Value) => string) | null
  #index = -1
  #changed: readonly Value[] | null = null

  /** `again` renders the loop for other items; null: the loop is not recursive. */
  constructor(items: readonly Value[], depth: number, again: ((items: Value) => string) | null) {
    this.#items = items
    this.#depth = depth
    this.#again = again
  }

  get label(): string {
    return `loop ${this.#index}/${this.#items.length}`
  }

  advance(): void {
    this.#index++
  }

  readonly call = ({ positional, named }: Arguments): Value => {
    if (this.#again === null) throw new TemplateError('the loop is not recursive: `{% for … recursive %}`')
    if (positional.length !== 1 || named.size > 0) throw new TemplateError('`loop` takes one argument: a list')
    return this.#again(positional[0])
  }

  /** An attribute; undefined where there is none. */
  readonly attribute = (name: string): Value => {
    const index = this.#index
    const { length } = this.#items
    switch (name) {
      case 'index':
        return BigInt(index + 1)
      case 'index0':
        return BigInt(index)
      case 'revindex':
        return BigInt(length - index)
      case 'revindex0':
        return BigInt(length - index - 1)
      case 'first':
        return index === 0
      case 'last':
        return index === length - 1
      case 'length':
        return BigInt(length)
      case 'depth':
        return BigInt(this.#depth)
      case 'depth0':
        return BigInt(this.#depth - 1)
      case 'previtem':
        return index > 0 ? this.#items[index - 1] : undefined
      case 'nextitem':
        return this.#items[index + 1]
      case 'cycle':
        return { label: 'loop.cycle', call: this.#cycle }
      case 'changed':
        return { label: 'loop.changed', call: this.#hasChanged }
      default:
        return undefined
    }
  }

  /** Whether the values differ from those of the last call. */
  readonly #hasChanged = ({ positional }: Arguments): boolean => {
    const isSame = this.#changed !== null && equal(this.#changed, positional)
    this.#changed = positional
    return !isSame
  }

  readonly #cycle = ({ positional }: Arguments): Value => {
    if (positional.length === 0) throw new TemplateError('`loop.cycle` needs at least one value')
    return positional[this.#index % positional.length]
  }
}
