/**
 * Address of the file that a thread runs: one of `*-thread.ts` in this folder, named without `-thread`. In a checkout
 * threads run from `.ts`, in a build from `.js`.
 */
export const threadFile = (name: string): URL =>
  new URL(`./${name}-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
