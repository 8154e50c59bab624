import * as z from 'zod'
import type { KnownRun } from '../../interchange/convert/convert-source.ts'

const Imported = z.object({ config: z.object({ import: z.object({ id: z.string(), stamp: z.string() }) }) })

/** From what a stored run was imported, as the answer of `GET /runs/{id}/config` shows; null if it was not. */
export const importedFrom = (config: string): KnownRun['import'] => {
  const { data } = Imported.safeParse(JSON.parse(config))
  return data === undefined ? null : { id: data.config.import.id, stamp: data.config.import.stamp }
}
