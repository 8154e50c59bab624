/** A module that is loaded when it is first needed. `import` looks up a loaded one again, which takes as long as opening a file. */
export const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined
  return () => (loaded ??= load())
}
