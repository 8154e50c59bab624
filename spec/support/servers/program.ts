import { fileURLToPath } from 'node:url'

/** The program as it is built for the specs (`build-program.ts`): a process of it takes half the CPU time. */
export const PROGRAM = fileURLToPath(new URL('../../../dist/ers.js', import.meta.url))

/** The program as it is in a checkout. */
export const SOURCES = fileURLToPath(new URL('../../../cli/ers.ts', import.meta.url))
