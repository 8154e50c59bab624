import type { EvidencePart } from '../../../../queries/evidence/evidence.ts'

// The same picture of other trials and runs: by its name, else by its place.

/** Whether a part is a picture, by what its manifest says. Its bytes decide how it is shown. */
const isPicture = ({ media_type, name }: EvidencePart): boolean =>
  media_type === null ? /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(name ?? '') : /^image\//i.test(media_type)

/** The picture among the parts of another case that is the same as one of this case; null if there is none. */
export const samePicture = (
  part: EvidencePart,
  own: readonly EvidencePart[],
  others: readonly EvidencePart[],
): EvidencePart | null => {
  const pictures = (parts: readonly EvidencePart[]): EvidencePart[] =>
    parts.filter((each) => each.role === part.role && isPicture(each))
  const named = part.name === null ? undefined : pictures(others).find(({ name }) => name === part.name)
  if (named) return named
  const place = pictures(own).findIndex(({ sha256, name }) => sha256 === part.sha256 && name === part.name)
  const found = pictures(others)[place]
  // One whose name is that of another picture of this case is the same as that one.
  return found && !pictures(own).some(({ name }) => name !== null && name === found.name) ? found : null
}
