import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the heaps of this process small, for commands that process many items one after the other. Garbage would otherwise
 * double the memory. It costs a tenth of the time.
 */
export const keepHeapSmall = (): void => {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=30')
}
