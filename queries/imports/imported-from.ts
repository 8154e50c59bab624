import { z } from 'zod'

const Imported = z.object({ config: z.object({ import: z.object({ id: z.string(), stamp: z.string() }) }) })

type ImportedFrom = { readonly id: string; readonly stamp: string }

/** From what a stored run was imported, as the answer of `GET /runs/{id}/config` shows; null if it was not. */
export const importedFrom = (config: string): ImportedFrom | null => importedIn(JSON.parse(config))

/** The same of an answer that is parsed. */
export const importedIn = (config: unknown): ImportedFrom | null => {
  const { data } = Imported.safeParse(config)
  return data === undefined ? null : { id: data.config.import.id, stamp: data.config.import.stamp }
}
