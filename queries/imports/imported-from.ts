import { z } from 'zod'

const Imported = z.object({ config: z.object({ import: z.object({ id: z.string(), stamp: z.string() }) }) })

/** From what a stored run was imported, as the answer of `GET /runs/{id}/config` shows; null if it was not. */
export const importedFrom = (config: string): { readonly id: string; readonly stamp: string } | null => {
  const { data } = Imported.safeParse(JSON.parse(config))
  return data === undefined ? null : { id: data.config.import.id, stamp: data.config.import.stamp }
}
