/**
 * The limit of the young heap of threads that write or run long reads. By default it grows to 48 MiB, and stays so.
 * Uploads, exports and statistics take as much CPU with this limit as without it, a CSV of cases 10 to 20 percent more;
 * an export takes half the memory.
 */
export const YOUNG_HEAP = { maxYoungGenerationSizeMb: 8 } as const

/** Whether a thread ended because it needed more memory than it may have. */
export const isOutOfMemory = (error: Error | null): boolean =>
  error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
