/** Shows a picture of a Markdown text. It is loaded when a text has one. */
export const mediaView = () => import('../../components/markdown/MediaView.vue')
