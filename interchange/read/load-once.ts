/**
 * Loads something on first use and caches it. A repeated `import` resolves its module each time, which takes as long as
 * opening a file.
 */
export const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined
  return () => (loaded ??= load())
}
