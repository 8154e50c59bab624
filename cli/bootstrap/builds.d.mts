export const WEB_SOURCES: readonly string[]
export const PROGRAM_SOURCES: readonly string[]
export const SITE_SOURCES: readonly string[]
export const sourcesHash: (checkout: string, sources: readonly string[]) => string
export const isWebBuilt: (checkout: string) => boolean
export const isProgramBuilt: (checkout: string) => boolean
export const isSiteBuilt: (checkout: string) => boolean
export const build: (node: string) => Promise<void>
export const buildSite: (node: string) => Promise<void>
export const buildAnew: (node: string) => Promise<void>
