import { deserialize } from 'node:v8'
import type { Commit } from '../../commands/commit.ts'
import type { OutlineStep } from '../../commands/outline/store-outline.ts'
import { SYSTEM, type Viewer } from '../../queries/access/viewer.ts'
import type { LongReads } from '../../queries/long-reads.ts'
import { outlineOf, type StoredTranscript, type TranscriptName } from '../../queries/transcripts/transcript.ts'
import { findOutlinedBytes } from '../../storage/objects/outlines.ts'
import type { Reader } from '../../storage/storage.ts'

type Parts = { readonly reader: Pick<Reader, 'read'>; readonly longReads: LongReads; readonly commit: Commit }

export type Outlines = {
  /**
   * Returns once the first events of a transcript are outlined. If no outline is complete, one is made to its end meanwhile, step by step
   * in reader threads, as reads of this viewer.
   */
  readonly begin: (viewer: Viewer, name: TranscriptName, part: StoredTranscript) => Promise<void>
}

/** Makes the outlines of transcripts when they are first read. What a step made is stored, so a later process goes on from it. */
export const openOutlines = ({ reader, longReads, commit }: Parts): Outlines => {
  /** The first step of each outline that is being made here. */
  const running = new Map<number, Promise<void>>()

  const nextStep = async (viewer: Viewer, name: TranscriptName, part: StoredTranscript): Promise<boolean> => {
    const answer = await longReads.outlineStep(viewer, name)
    if (!answer || typeof answer.body === 'string') return false
    const step = deserialize(answer.body) as OutlineStep
    const { isStored } = await commit.storeOutline(SYSTEM, step)
    return isStored && step.outlined < part.bytes
  }

  const make = (viewer: Viewer, name: TranscriptName, part: StoredTranscript): Promise<void> => {
    const first = nextStep(viewer, name, part)
    const finish = async (): Promise<void> => {
      let isMore = await first
      while (isMore) isMore = await nextStep(viewer, name, part)
    }
    // The next read of the transcript goes on where a step failed.
    void finish()
      .catch(() => {})
      .finally(() => running.delete(part.part_no))
    return first.then(() => undefined)
  }

  return {
    begin: async (viewer, name, part) => {
      const outlined = await reader.read(findOutlinedBytes(outlineOf(part)))
      if (outlined === part.bytes) return
      const first = running.get(part.part_no) ?? make(viewer, name, part)
      running.set(part.part_no, first)
      if (outlined === null) await first
    },
  }
}
