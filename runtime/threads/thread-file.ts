/**
 * The URL of the file that a thread runs: `<name>-thread` in this folder. Threads run `.ts` files in a checkout and `.js`
 * files in a build.
 */
export const threadFile = (name: string): URL =>
  new URL(`./${name}-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
