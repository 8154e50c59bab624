// Where the evidence of a run is in its folder: in an export with parts, and in the local store of the engine.

/** The file of a manifest, by the number of the evidence. */
export const manifestFile = (n: number): string => `manifest-${n}.json`

/** The number of the evidence of a manifest file; null for another file. */
export const manifestNumber = (name: string): number | null => {
  const [, digits] = /^manifest-(\d{1,6})\.json$/.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}

/** The folder of the parts. */
export const PARTS = 'parts'

/** The file of a part, below the folder of the run. */
export const partFile = (sha256: string): string => `${PARTS}/${sha256.slice(0, 2)}/${sha256}`
