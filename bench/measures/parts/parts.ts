import type { Print } from '../../measures.ts'
import { intoStores } from './into-stores.ts'
import { readAndSmall } from './read-parts.ts'

/** What the stores of large parts do in a second, next to what the machine does without the service. */
export const parts = async (print: Print): Promise<void> => {
  await intoStores(print)
  await readAndSmall(print)
}
