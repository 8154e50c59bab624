/**
 * The limit of the young heap of a thread that writes. By default it grows to 48 MiB, and stays so. Uploads take as much
 * CPU with this limit as without it.
 */
export const YOUNG_HEAP = { maxYoungGenerationSizeMb: 8 } as const
