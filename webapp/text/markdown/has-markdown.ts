/** Longer texts are shown as they are stored. In bytes of UTF-16 text, so that no text has to be encoded to know it. */
const MAX_LENGTH = 200 * 1024
/** How far a text is read for a sign of Markdown. */
const MAX_READ = 20_000

const SIGNS = [
  /^ {0,3}#{1,6}[ \t]+\S/m,
  /^ {0,12}(?:```|~~~)/m,
  /^[ \t]{0,24}(?:[-*+]|\d{1,4}[.)])[ \t]+\S/m,
  /^ {0,3}>[ \t]*\S/m,
  /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$/m,
  /^[ \t]*(?:\|[ \t]*)?:?-{2,}:?[ \t]*\|/m,
  /\*\*[^\s*]|__[^\s_]|~~[^\s~]/,
  /`[^`\n]+`/,
  /\]\((?:https?:|mailto:|data:|part:|\/|#)/,
  /\$\$|\\\(|\\\[|\$[^\s$][^$\n]{0,200}\$/,
]

/** Characters that are marked, which a reader of Markdown takes for white space and leaves out. */
const UNSEEN = /[\v\f\ufeff\u2028\u2029]|\r(?!\n)/
/** Whether a text has characters that would not be seen in drawn Markdown. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text)

/** Whether a text is short enough to be drawn as Markdown, and looks like it. */
export const hasMarkdown = (text: string): boolean => {
  if (text.length > MAX_LENGTH || hasUnseen(text)) return false
  const beginning = text.slice(0, MAX_READ)
  return SIGNS.some((sign) => sign.test(beginning))
}

const MEDIA = /data:(?:image|audio)\/|(?:media|mime)_?type"\s*:\s*"(?:image|audio)\/|input_audio/i
/** The name of a part as a text in JSON, as an address in Markdown, or on a line of its own in a longer text. */
const PART = /(?:["\n]|\\n|\]\()part:[\da-f]{64}(?:["\n)]|\\n|$)|^part:[\da-f]{64}\n/
/**
 * Whether a text, or a value as JSON, may hold a picture or a sound, or name a part. A text that is nothing but the name of a part is shown as
 * that part.
 */
export const hasMedia = (text: string): boolean => MEDIA.test(text) || PART.test(text)
