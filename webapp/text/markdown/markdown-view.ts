/** Draws Markdown. It is loaded when a text has some; a case waits for it, so that nothing moves. */
export const markdownView = () => import('../../components/markdown/MarkdownView.vue')
/** Shows the pictures and sounds of a value. It is loaded when a value has a sign of some. */
export const mediaParts = () => import('../../components/markdown/MediaParts.vue')
