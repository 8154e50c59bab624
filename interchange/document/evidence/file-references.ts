import type { PartRole } from '../../../domain/evidence/manifest.ts'
import { referencedFile } from '../../read/referenced-file.ts'
import type { Losses } from '../losses.ts'
import { typeOfName, type CaseParts } from './case-parts.ts'

// Texts that name files which a tool saved apart from its results. A file is read only below the folder of the source or of
// `--files`; what a text names outside of them is left as it is.

/** One way to name a file in a text. */
type Way = {
  readonly pattern: RegExp
  /** The paths at which the file may be, and its type as far as the text says it. */
  readonly paths: (match: RegExpExecArray) => readonly string[]
  readonly typeOf: (match: RegExpExecArray) => string | null
  /** What is missing, in words. Absent: a file that is not there is no loss, because a model may name any. */
  readonly missing?: string
}

const TYPED: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  'svg+xml': 'svg',
  mpeg: 'mp3',
  'x-wav': 'wav',
  plain: 'txt',
}

/** Files of these types alone are read outside of folders of media: a model may have written the text. */
const SHOWN = /\.(?:png|jpe?g|gif|webp|avif|wav|mp3|ogg|flac|m4a|mp4|webm|pdf)$/i

const NOT_LATER = ': name its folder with --files, because a run that is stored gets no files later'

const WAYS: readonly Way[] = [
  {
    pattern: /promptfoo:\/\/blob\/([0-9a-f]{64})/g,
    paths: ([, hash = '']) => [
      `blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`,
      `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`,
      hash,
    ],
    typeOf: () => null,
    missing: `a blob of promptfoo that is in no folder of the import${NOT_LATER}`,
  },
  {
    pattern: /@@@langfuseMedia:type=([\w.+-]+)\/([\w.+-]+)\|id=([\w-]{1,100})(?:\|source=\w+)?@@@/g,
    paths: ([, , kind = '', id = '']) => {
      const typed = `${id}.${TYPED[kind] ?? kind}`
      // Next to the source may be other files, which a text must not name.
      return [`media/${typed}`, `media/${id}`, ...(SHOWN.test(typed) ? [typed] : [])]
    },
    typeOf: ([, type = '', kind = '']) => `${type}/${kind}`,
    missing: `a file of Langfuse that is in no folder of the import${NOT_LATER}`,
  },
  {
    pattern:
      /mlflow-attachment:\/\/([0-9a-f-]{36})\?content_type=(\w+)%2F([\w.%+-]+)&trace_id=([\w-]{1,100})(?:&size=\d+)?/g,
    // In the folder of its trace, or in that of the traces of an experiment.
    paths: ([, id = '', , , trace = '']) => [`attachments/${id}`, `${trace}/artifacts/attachments/${id}`],
    typeOf: ([, , type = '', kind = '']) => `${type}/${kind.replaceAll('%2B', '+')}`,
    missing: `an attachment of MLflow that is in no folder of the import${NOT_LATER}`,
  },
  {
    // Bounded, and without another `[` in the words, so that the time it takes grows with the text alone.
    pattern: /!\[[^[\]\n]{0,300}\]\(\s{0,10}<?([^\s()<>:]{1,400})>?(?:\s{1,10}"[^"\n]{0,300}")?\s{0,10}\)/g,
    paths: ([, path = '']) => (SHOWN.test(path) ? [path] : []),
    typeOf: () => null,
  },
]

/** Whether a JSON text may name such files: a quick look before its values are walked through. */
export const mayNameFiles = (json: string): boolean =>
  json.includes('promptfoo://blob/') ||
  json.includes('@@@langfuseMedia:') ||
  json.includes('mlflow-attachment://') ||
  json.includes('](')

/**
 * Adds the files that a text names to the parts of a case. Returns what stands in the place of the text: `part:` with a digest
 * if it is nothing but the name of a file, else the text as it is.
 */
export const fileReferences =
  (parts: CaseParts, folders: readonly string[], losses: Losses) =>
  (text: string, role: Exclude<PartRole, 'original'>): string => {
    if (!mayNameFiles(text)) return text
    for (const { pattern, paths, typeOf, missing } of WAYS)
      for (const match of text.matchAll(pattern)) {
        const digest = firstPart(parts, folders, paths(match), role, typeOf(match))
        if (digest === null && missing !== undefined) losses.addBytes('left_out', '(media)', 0, missing)
        if (digest !== null && match[0] === text) return `part:${digest}`
      }
    return text
  }

/** The digest of the part of the first of some files that is there. */
const firstPart = (
  parts: CaseParts,
  folders: readonly string[],
  paths: readonly string[],
  role: PartRole,
  type: string | null,
): string | null => {
  for (const path of paths) {
    const found = referencedFile(path, folders)
    const name = path.split('/').at(-1) ?? path
    const digest = 'why' in found ? null : parts.addFrom(role, name, type ?? typeOfName(name), found.path)
    if (digest !== null) return digest
  }
  return null
}
