/**
 * An object whose methods call `call` with their name and their arguments. `T` derives its methods from the functions that
 * answer, so an editor goes from a call to its function. Only here do names and arguments lose their types.
 */
export const callsByName = <T extends object>(call: (name: keyof T & string, args: never) => Promise<unknown>): T =>
  new Proxy({} as T, {
    get: (_, name) =>
      // A promise that resolves to this object asks it for `then`.
      typeof name === 'symbol' || name === 'then'
        ? undefined
        : (...args: unknown[]) => call(name as keyof T & string, args as never),
  })
