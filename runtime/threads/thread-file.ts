/**
 * The URL of the file that a thread runs: `<name>-thread` next to this file. Threads run `.ts` files in a checkout. In a
 * build they run `.cjs` files, which load their code as it was compiled at an earlier start (`cli/code-cache.cjs`).
 */
export const threadFile = (name: string): URL =>
  new URL(`./${name}-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.cjs'}`, import.meta.url)
