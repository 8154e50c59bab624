type Exists = (path: string) => boolean

export const findBrowser: (env: Record<string, string | undefined>, exists?: Exists) => string | null
export const browserCommands: (machine: { uid: number | undefined; exists?: Exists }) => string[][]
