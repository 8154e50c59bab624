/**
 * The same text with memory of its own. A slice keeps the whole text it was cut from in memory, and a text from which
 * characters beyond Latin-1 were removed still takes two bytes for each of its characters. The text must be well formed.
 */
export const ownText = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
