import { Gauge, type Registry } from 'prom-client'
import { countUnstored } from '../../queries/evidence/unstored.ts'
import { countPendingMoves } from '../../queries/runs/moves.ts'
import type { CountedPartBytes } from '../counted-part-bytes.ts'
import type { Services } from '../services.ts'

/** Adds the metrics of the bucket of large parts, if this service has one. */
export const addBucketMetrics = (
  registry: Registry,
  { partStore: { bucket }, reader, now }: Pick<Services, 'partStore' | 'reader' | 'now'>,
  partBytes: () => Promise<CountedPartBytes>,
): void => {
  if (!bucket) return
  const registers = [registry]
  new Gauge({
    name: 'service_object_store_up',
    help: '1 if the last request to the store of large parts came through.',
    registers,
    collect() {
      this.set(bucket.health.isUp() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'service_objects_pending',
    help: 'Objects that are being written, those whose bytes are still to be removed, and documents that wait to be moved into objects.',
    labelNames: ['kind'],
    registers,
    async collect() {
      const { writing, deleting } = await reader.read(countUnstored)
      this.set({ kind: 'write' }, writing)
      this.set({ kind: 'delete' }, deleting)
      this.set({ kind: 'move' }, (await reader.read(countPendingMoves)).n)
    },
  })
  new Gauge({
    name: 'service_object_oldest_pending_seconds',
    help: 'Time since the bytes of deleted objects could first not be removed, or since the first document waits to be moved, whichever is longer; 0 if none wait.',
    registers,
    async collect() {
      const since = [bucket.pendingSince(), (await reader.read(countPendingMoves)).oldest].filter((at) => at !== null)
      this.set(since.length === 0 ? 0 : (now() - Math.min(...since)) / 1000)
    },
  })
  new Gauge({
    name: 'service_part_bytes',
    help: 'Bytes of parts as they were sent, by where they are stored. Counted every ten minutes.',
    labelNames: ['place'],
    registers,
    async collect() {
      const { bytes } = await partBytes()
      for (const [place, n] of Object.entries(bytes)) this.set({ place }, n)
    },
  })
}
