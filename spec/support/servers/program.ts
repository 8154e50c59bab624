import { fileURLToPath } from 'node:url'

/** The program as built for the specs (`build-program.ts`): it needs half the CPU time of its source. */
export const PROGRAM = fileURLToPath(new URL('../../../dist/ers.js', import.meta.url))

/** The source of the program, as it runs in a checkout. */
export const SOURCES = fileURLToPath(new URL('../../../cli/ers.ts', import.meta.url))

/** The environment that makes `SOURCES` a build whose read model `search` is of a newer version. */
export const RAISED = { NODE_OPTIONS: `--import ${new URL('raise-search.ts', import.meta.url).href}` }
