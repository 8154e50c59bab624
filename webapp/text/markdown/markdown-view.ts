/** Draws Markdown. It is loaded when a text has some; a case waits for it, so that nothing moves. */
export const markdownView = () => import('../../components/markdown/MarkdownView.vue')
