type Machine = { version: string; execPath: string; platform: string; arch: string; modules: string }

export const findNode: (machine: Machine, exists?: (path: string) => boolean) => string
