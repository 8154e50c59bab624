import { callsByName } from '../../runtime/calls-by-name.ts'

type Call<Name, Result> = {
  readonly name: Name
  readonly args: readonly unknown[]
  /** Makes the call. */
  readonly run: () => Promise<Result>
}

/** Calls such as `commit` and `longReads`, with `around` in between. */
export const wrapCalls = <T extends object, Result>(
  calls: T & Readonly<Record<keyof T, (...args: never) => Promise<Result>>>,
  around: (call: Call<keyof T & string, Result>) => Promise<unknown>,
): T => callsByName<T>((name, args: never) => around({ name, args, run: () => calls[name](...args) }))
