type Machine = { version: string; execPath: string; platform: string; arch: string; modules: readonly string[] }

export const findNode: (machine: Machine, exists?: (path: string) => boolean) => string
export const thisNode: () => string
export const lockedNode: () => string
