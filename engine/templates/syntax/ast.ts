import type { Defined } from '../values/value.ts'

type At = { readonly line: number; /** How deeply the expression is nested. */ readonly depth: number }

export type Arguments = {
  readonly positional: readonly Expression[]
  readonly named: ReadonlyArray<readonly [string, Expression]>
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '~'
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

export type Expression = At &
  (
    | { readonly kind: 'constant'; readonly value: Defined }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    | { readonly kind: 'map'; readonly pairs: ReadonlyArray<readonly [Expression, Expression]> }
    | { readonly kind: 'attribute'; readonly target: Expression; readonly name: string }
    | { readonly kind: 'item'; readonly target: Expression; readonly index: Expression }
    | {
        readonly kind: 'slice'
        readonly target: Expression
        readonly bounds: readonly [Expression | null, Expression | null, Expression | null]
      }
    | { readonly kind: 'call'; readonly target: Expression; readonly args: Arguments }
    | { readonly kind: 'filter'; readonly target: Expression; readonly name: string; readonly args: Arguments }
    | {
        readonly kind: 'test'
        readonly target: Expression
        readonly name: string
        readonly args: Arguments
        readonly isNegated: boolean
      }
    | { readonly kind: 'negative'; readonly operand: Expression }
    | { readonly kind: 'not'; readonly operand: Expression }
    | {
        readonly kind: 'binary'
        readonly operator: BinaryOperator
        readonly left: Expression
        readonly right: Expression
      }
    | { readonly kind: 'and'; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'or'; readonly left: Expression; readonly right: Expression }
    | {
        /** `a < b <= c` is `a < b and b <= c`. */
        readonly kind: 'comparison'
        readonly first: Expression
        readonly rest: ReadonlyArray<readonly [Comparison, Expression]>
      }
    | {
        readonly kind: 'choice'
        readonly condition: Expression
        readonly chosen: Expression
        readonly otherwise: Expression | null
      }
    /** The text that a filter block or a `set` block filters. */
    | { readonly kind: 'body' }
  )

/** What `for`, `set` and `with` assign to: a name, or names for the items of a list. */
export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'targets'; readonly targets: readonly Target[] }

/** A member of a namespace, which `set` may assign to. */
export type MemberTarget = { readonly kind: 'member'; readonly name: string; readonly member: string }

export type Parameter = { readonly name: string; readonly otherwise: Expression | null }

export type Macro = {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly body: readonly Statement[]
}

export type Statement = { readonly line: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly value: Expression }
  | { readonly kind: 'do'; readonly value: Expression }
  | {
      readonly kind: 'if'
      readonly branches: ReadonlyArray<readonly [Expression, readonly Statement[]]>
      readonly otherwise: readonly Statement[]
    }
  | {
      readonly kind: 'for'
      readonly target: Target
      readonly items: Expression
      readonly condition: Expression | null
      readonly isRecursive: boolean
      readonly body: readonly Statement[]
      readonly otherwise: readonly Statement[]
    }
  | { readonly kind: 'set'; readonly target: Target | MemberTarget; readonly value: Expression }
  | {
      readonly kind: 'set-block'
      readonly target: Target | MemberTarget
      readonly filter: Expression
      readonly body: readonly Statement[]
    }
  | {
      readonly kind: 'with'
      readonly assignments: ReadonlyArray<readonly [Target, Expression]>
      readonly body: readonly Statement[]
    }
  | { readonly kind: 'filter-block'; readonly filter: Expression; readonly body: readonly Statement[] }
  | { readonly kind: 'macro'; readonly macro: Macro }
  | { readonly kind: 'call-block'; readonly call: Expression & { readonly kind: 'call' }; readonly caller: Macro }
  | { readonly kind: 'block'; readonly body: readonly Statement[] }
)
