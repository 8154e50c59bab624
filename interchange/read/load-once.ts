/**
 * What is loaded when it is first needed, and then known. `import` looks up a loaded module again, which takes as long as
 * opening a file.
 */
export const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined
  return () => (loaded ??= load())
}
