import { fileURLToPath } from 'node:url'

/** The program as built for the specs (`build-program.ts`): its processes take half the CPU time. */
export const PROGRAM = fileURLToPath(new URL('../../../dist/ers.js', import.meta.url))

/** The program as source, which a checkout runs. */
export const SOURCES = fileURLToPath(new URL('../../../cli/ers.ts', import.meta.url))
