import { hash } from 'node:crypto'

// Long answers are made in parts, so that no thread holds one as a whole, and none is held by a client that reads
// slowly: from where the next part goes on is data, and any thread may make it.

/** A part of an answer, and from where the next one goes on; null after the last. */
export type Part<Position> = { readonly text: string; readonly next: Position | null }

/**
 * The begin of an answer: its tag, should it be too long to be hashed, and the bytes that its positions hold in memory.
 */
export type FirstPart<Position> = { readonly etag: string; readonly held: number; readonly from: Position }

/**
 * A read whose answer comes in parts. Both answer null where what was asked for is unknown, hidden, or deleted
 * meanwhile.
 */
export type Parted<Context, Args, Position> = {
  readonly begin: (context: Context, args: Args) => Promise<FirstPart<Position> | null>
  readonly part: (context: Context, args: Args, from: Position) => Promise<Part<Position> | null>
}

/** An answer of more characters than this is sent in parts, and of about how many each of them is. */
export const MAX_UNSPLIT_BYTES = 1024 * 1024
export const PART = 256 * 1024

/** Where an answer goes on that was begun. */
export type Resumed = { readonly etag: string; readonly held: number; readonly next: unknown }

/** Some of a long answer: `next` is null where it ends. */
export type PartOf = Resumed & { readonly text: string }

/** A read in parts as it is run: the whole text where it is short, else its begin; with `resumed`, some more of it. */
export type RunParts<Context, Args> = (
  context: Context,
  args: Args,
  resumed: Resumed | null,
) => Promise<string | PartOf | null>

/** Raised where the same documents give other bytes than before. */
const FORM = 1

/**
 * A strong tag of an answer that is made of these documents and parameters and of nothing else: bytes need not be there
 * to know it.
 */
export const contentTag = (what: string, parameters: readonly unknown[], documents: readonly string[]): string =>
  `"${hash('sha256', JSON.stringify([FORM, what, parameters, documents]), 'base64url')}"`

/** Runs a read in parts. */
export const inParts =
  <Context, Args, Position>({ begin, part }: Parted<Context, Args, Position>): RunParts<Context, Args> =>
  async (context, args, resumed) => {
    const begun = resumed ? { ...resumed, from: resumed.next as Position } : await begin(context, args)
    if (!begun) return null
    const texts: string[] = []
    let length = 0
    for (let from = begun.from; ;) {
      const made = await part(context, args, from)
      if (!made) return null
      texts.push(made.text)
      length += made.text.length
      // By its length alone, however its parts fall, so that it has the same tag whenever it is asked for.
      const isLong = length > (resumed ? PART : MAX_UNSPLIT_BYTES)
      if (isLong || (resumed && made.next === null))
        return { text: texts.join(''), etag: begun.etag, held: begun.held, next: made.next }
      if (made.next === null) return texts.join('')
      from = made.next
    }
  }
