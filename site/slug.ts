/** The anchor of a heading, as GitHub makes it. Of equal anchors on one page all but the first get a number at the end. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')
