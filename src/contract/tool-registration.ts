/** Registered tools that can be taken away again. */

/** Takes the tool out of the registry and its search index. A second call does nothing. */
export type ToolRegistration = () => void;
