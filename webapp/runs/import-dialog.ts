import { ref } from 'vue'

/** Whether the dialog to import runs is open. The dialog itself is loaded when it is first opened. */
export const isImportOpen = ref(false)
