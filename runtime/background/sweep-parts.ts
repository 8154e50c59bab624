import type { PartStore } from '../evidence/part-store.ts'
import type { HourlyTask } from './hourly.ts'

/** The hourly task that drops parts which no run has named in time, and removes the bytes of all that was dropped. */
export const partTask = ({ sweep }: PartStore): HourlyTask => ({
  name: 'parts',
  run: async (signal) => {
    const { parts, objects } = await sweep(signal)
    return parts + objects === 0 ? null : { parts, objects }
  },
})
