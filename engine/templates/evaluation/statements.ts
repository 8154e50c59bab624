import type { Expression, Macro, MemberTarget, Statement, Target } from '../syntax/ast.ts'
import type { Arguments } from './arguments.ts'
import { evaluate, undefinedMessage } from './expressions.ts'
import { LoopState } from './loop.ts'
import { printed } from '../values/print.ts'
import type { Runtime } from './runtime.ts'
import { innerScope, type Scope } from './scope.ts'
import { TemplateError } from '../template-error.ts'
import { MapValue, isTrue, isUndefined, typeName, type Callable, type Value } from '../values/value.ts'

/** Runs statements and returns their text. */
export const execute = (statements: readonly Statement[], scope: Scope, runtime: Runtime): string => {
  let text = ''
  for (const statement of statements) {
    runtime.line = statement.line
    runtime.count()
    // The table has the right function for the kind; the type system cannot follow that.
    const executor = EXECUTORS[statement.kind] as (statement: Statement, scope: Scope, runtime: Runtime) => string
    const part = executor(statement, scope, runtime)
    runtime.countText(part.length)
    text += part
  }
  return text
}

type Node<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>
type Executor<Kind extends Statement['kind']> = (statement: Node<Kind>, scope: Scope, runtime: Runtime) => string

// One small function for each kind: a single large one would need much more of the stack for every level of recursion.
const EXECUTORS: { readonly [Kind in Statement['kind']]: Executor<Kind> } = {
  text: ({ text }) => text,
  print: ({ value: node }, scope, runtime) => {
    const value = evaluate(node, scope, runtime)
    if (value === undefined) throw new TemplateError(undefinedMessage(node), node.line)
    return printed(value)
  },
  do: ({ value }, scope, runtime) => {
    evaluate(value, scope, runtime)
    return ''
  },
  if: ({ branches, otherwise }, scope, runtime) => {
    const chosen = branches.find(([condition]) => isCondition(condition, scope, runtime))
    return execute(chosen?.[1] ?? otherwise, scope, runtime)
  },
  for: (statement, scope, runtime) =>
    new Loop(statement, scope, runtime).run(evaluate(statement.items, scope, runtime), 1),
  set: ({ target, value }, scope, runtime) => {
    assign(target, evaluate(value, scope, runtime), scope, runtime)
    return ''
  },
  'set-block': ({ target, filter, body }, scope, runtime) => {
    assign(target, evaluate(filter, scope, runtime, execute(body, scope, runtime)), scope, runtime)
    return ''
  },
  with: ({ assignments, body }, scope, runtime) => {
    const inner = innerScope(scope)
    for (const [target, value] of assignments) assign(target, evaluate(value, inner, runtime), inner, runtime)
    return execute(body, inner, runtime)
  },
  'filter-block': ({ filter, body }, scope, runtime) =>
    printed(evaluate(filter, scope, runtime, execute(body, scope, runtime))),
  macro: ({ macro }, scope, runtime) => {
    scope.set(macro.name, macroValue(macro, scope, runtime))
    return ''
  },
  'call-block': ({ call, caller }, scope, runtime) => {
    const inner = innerScope(scope)
    inner.set(CALLER, macroValue(caller, scope, runtime))
    return printed(evaluate({ ...call, args: withCaller(call.args, call) }, inner, runtime))
  },
  block: ({ body }, scope, runtime) => execute(body, innerScope(scope), runtime),
}

const CALLER = 'caller'

const withCaller = (args: (Expression & { kind: 'call' })['args'], { line }: Expression) => ({
  ...args,
  named: [...args.named, [CALLER, { kind: 'name', name: CALLER, line, depth: 1 }] as const],
})

const isCondition = (condition: Expression, scope: Scope, runtime: Runtime): boolean => {
  const value = evaluate(condition, scope, runtime)
  if (isUndefined(value)) throw new TemplateError(undefinedMessage(condition), condition.line)
  return isTrue(value)
}

const assign = (target: Target | MemberTarget, value: Value, scope: Scope, runtime: Runtime): void => {
  if (target.kind === 'name') return scope.set(target.name, value)
  if (target.kind === 'member') {
    const owner = scope.get(target.name)
    if (!(owner instanceof MapValue) || !owner.isNamespace)
      throw new TemplateError(`\`set ${target.name}.${target.member}\` needs a namespace, not ${typeName(owner)}`)
    return owner.set(target.member, value)
  }
  if (isUndefined(value)) throw new TemplateError('undefined value: it cannot be unpacked')
  const items = runtime.items(value)
  if (items.length !== target.targets.length)
    throw new TemplateError(`cannot unpack ${items.length} items into ${target.targets.length} names`)
  for (const [index, inner] of target.targets.entries()) assign(inner, items[index], scope, runtime)
}

/** A macro as a value. Its body sees the scope in which it is defined. */
const macroValue = (macro: Macro, definedIn: Scope, runtime: Runtime): Callable => {
  const usesCaller = macro.parameters.every(({ name }) => name !== CALLER)
  const attributes: Readonly<Record<string, Value>> = {
    name: macro.name,
    arguments: macro.parameters.map(({ name }) => name),
  }
  return {
    label: `macro ${macro.name}`,
    attribute: (name) => (Object.hasOwn(attributes, name) ? attributes[name] : undefined),
    call: (args) =>
      runtime.deeper(() => {
        const scope = innerScope(definedIn)
        bindParameters(macro, args, scope, runtime)
        if (usesCaller && args.named.has(CALLER)) scope.set(CALLER, args.named.get(CALLER))
        return execute(macro.body, scope, runtime)
      }),
  }
}

const bindParameters = (macro: Macro, args: Arguments, scope: Scope, runtime: Runtime): void => {
  const { parameters } = macro
  if (args.positional.length > parameters.length)
    throw new TemplateError(`too many arguments for \`${macro.name}\`: at most ${parameters.length} are accepted`)
  for (const name of args.named.keys())
    if (name !== CALLER && !parameters.some((parameter) => parameter.name === name))
      throw new TemplateError(`unknown argument \`${name}\` of \`${macro.name}\``)
  for (const [index, { name, otherwise }] of parameters.entries()) {
    const isPositional = index < args.positional.length
    if (isPositional && args.named.has(name)) throw new TemplateError(`the argument \`${name}\` is given twice`)
    if (isPositional) scope.set(name, args.positional[index])
    else if (args.named.has(name)) scope.set(name, args.named.get(name))
    else scope.set(name, otherwise === null ? undefined : evaluate(otherwise, scope, runtime))
  }
}

class Loop {
  readonly #statement: Statement & { readonly kind: 'for' }
  readonly #scope: Scope
  readonly #runtime: Runtime

  constructor(statement: Statement & { readonly kind: 'for' }, scope: Scope, runtime: Runtime) {
    this.#statement = statement
    this.#scope = scope
    this.#runtime = runtime
  }

  run(value: Value, depth: number): string {
    const { items: node, body, otherwise, target, line } = this.#statement
    if (isUndefined(value)) throw new TemplateError(undefinedMessage(node), node.line)
    const items = this.#chosen(this.#runtime.items(value))
    if (items.length === 0) return execute(otherwise, innerScope(this.#scope), this.#runtime)
    const scope = innerScope(this.#scope)
    const again = this.#statement.isRecursive
      ? (inner: Value) => this.#runtime.deeper(() => this.run(inner, depth + 1))
      : null
    const loop = new LoopState(items, depth, again)
    scope.set('loop', loop)
    const parts: string[] = []
    for (const item of items) {
      this.#runtime.line = line
      loop.advance()
      assign(target, item, scope, this.#runtime)
      const part = execute(body, scope, this.#runtime)
      this.#runtime.countText(part.length)
      parts.push(part)
    }
    return parts.join('')
  }

  /** The items that the condition of the loop chooses. `loop` counts these alone. */
  #chosen(items: readonly Value[]): readonly Value[] {
    const { condition, target } = this.#statement
    if (condition === null) return items
    return items.filter((item) => {
      const scope = innerScope(this.#scope)
      assign(target, item, scope, this.#runtime)
      return isCondition(condition, scope, this.#runtime)
    })
  }
}
