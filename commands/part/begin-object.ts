import { findStaged, findStagedBefore } from '../../queries/evidence/staged.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { beginObject as insertObject } from '../../storage/objects/rows.ts'
import type { ObjectPlace } from '../../storage/objects/object-store.ts'
import { heavyCommand } from '../heavy-command.ts'
import { refuseBeyond, refuseOtherTotal, type PartSize, type StagedLimits } from './staging.ts'

type BeginObject = PartSize & {
  readonly object_id: string
  readonly key: Uint8Array
  readonly place: ObjectPlace
  readonly at: number
  readonly limits: StagedLimits
}

/** Notes an object with its key before its bytes are written, so that what is left of an interrupted upload is known. Refuses: conflict. */
export const beginObject = (viewer: Viewer, { object_id, key, place, at, limits, ...size }: BeginObject) =>
  heavyCommand(viewer, {
    // Refused while the disk is full, before the bytes are written.
    bytes: 1,
    prepare: () => null,
    facts: () => ({ staged: findStaged(viewer, size.sha256), totals: findStagedBefore(viewer, size.sha256) }),
    decide({ staged, totals }) {
      refuseOtherTotal(staged, size)
      if (staged === null) refuseBeyond(totals, limits, { parts: 1, bytes: size.total })
      return []
    },
    writes: () => [insertObject(object_id, place, Buffer.from(key), at)],
    result: () => null,
  })
