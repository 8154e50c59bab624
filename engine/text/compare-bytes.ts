/** Orders texts by the bytes of their UTF-8, as paths, ids and axes are sorted everywhere. */
export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
