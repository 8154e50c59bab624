import { hash } from 'node:crypto'

// Long answers are built in parts, so that no thread has a whole one in memory or waits for a slow client. The
// position of the next part is plain data, so any thread can build that part.

/** A part of an answer, and the position of the next part; null after the last. */
export type Part<Position> = { readonly text: string; readonly next: Position | null }

/**
 * The start of an answer: the ETag to use if the answer is too long to hash, the bytes of memory that its positions
 * need (`memoryBytes`), and the position of the first part.
 */
export type FirstPart<Position> = { readonly etag: string; readonly memoryBytes: number; readonly from: Position }

/**
 * A read whose answer is built in parts. Both functions return null if the resource is unknown, hidden, or deleted
 * meanwhile.
 */
export type PartedRead<Context, Args, Position> = {
  readonly begin: (context: Context, args: Args) => Promise<FirstPart<Position> | null>
  readonly part: (context: Context, args: Args, from: Position) => Promise<Part<Position> | null>
}

/** An answer of more than `MAX_UNSPLIT_CHARACTERS` is sent in parts of about `PART_CHARACTERS`. */
export const MAX_UNSPLIT_CHARACTERS = 1024 * 1024
export const PART_CHARACTERS = 256 * 1024

/** The state with which a started answer continues. */
export type AnswerPosition = { readonly etag: string; readonly memoryBytes: number; readonly next: unknown }

/** A part of a long answer, as text or as bytes. `next` is null after the last part. */
export type AnswerPart = AnswerPosition & { readonly text: string | Uint8Array }

/** Runs a read in parts: returns the whole text if it is short, else its start; with `resumed`, the next part. */
export type RunParts<Context, Args> = (
  context: Context,
  args: Args,
  resumed: AnswerPosition | null,
) => Promise<string | AnswerPart | null>

/** Increase it when a change makes the same documents give other bytes. */
const FORMAT = 1

/**
 * A strong ETag of an answer that depends only on these documents and parameters. It is known before any byte of the
 * answer.
 */
export const contentTag = (what: string, parameters: readonly unknown[], documents: readonly string[]): string =>
  `"${hash('sha256', JSON.stringify([FORMAT, what, parameters, documents]), 'base64url')}"`

/** Runs a read in parts. */
export const inParts =
  <Context, Args, Position>({ begin, part }: PartedRead<Context, Args, Position>): RunParts<Context, Args> =>
  async (context, args, resumed) => {
    const started = resumed ? { ...resumed, from: resumed.next as Position } : await begin(context, args)
    if (!started) return null
    const texts: string[] = []
    let length = 0
    for (let from = started.from; ;) {
      const built = await part(context, args, from)
      if (!built) return null
      texts.push(built.text)
      length += built.text.length
      // Whether an answer is long depends only on the total length, not on the lengths of its parts. So every request
      // gets the same ETag.
      const isLong = length > (resumed ? PART_CHARACTERS : MAX_UNSPLIT_CHARACTERS)
      if (isLong || (resumed && built.next === null))
        return { text: texts.join(''), etag: started.etag, memoryBytes: started.memoryBytes, next: built.next }
      if (built.next === null) return texts.join('')
      from = built.next
    }
  }
