/** Icons from lucide's nodes: drawn as SVG elements, never from markup. */
import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  Ban,
  Bot,
  Box,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  Circle,
  CircleCheck,
  CircleDot,
  CircleX,
  Clock,
  Copy,
  Download,
  Ellipsis,
  Eye,
  EyeOff,
  FileDiff,
  FileMinus,
  FilePen,
  FilePlus,
  FileSearch,
  FileText,
  FlaskConical,
  Folder,
  Globe,
  Hand,
  Inbox,
  Info,
  Keyboard,
  KeyRound,
  Layers,
  ListChecks,
  ListTodo,
  Lock,
  MessageSquareText,
  MessagesSquare,
  Pencil,
  Play,
  Plug,
  PlugZap,
  Plus,
  Redo2,
  RefreshCw,
  Repeat,
  RotateCcw,
  ScrollText,
  Search,
  Server,
  Settings2,
  Shield,
  ShieldCheck,
  ShieldQuestionMark,
  Square,
  SquareTerminal,
  Terminal,
  TextSearch,
  Trash2,
  TriangleAlert,
  Undo2,
  WifiOff,
  Wrench,
  X,
  ZoomIn,
  ZoomOut,
} from "lucide";
import { h } from "preact";

const icons = {
  "arrow-down": ArrowDown,
  "arrow-left": ArrowLeft,
  "arrow-right": ArrowRight,
  "arrow-up": ArrowUp,
  ban: Ban,
  bot: Bot,
  box: Box,
  check: Check,
  "chevron-down": ChevronDown,
  "chevron-left": ChevronLeft,
  "chevron-right": ChevronRight,
  circle: Circle,
  "circle-check": CircleCheck,
  "circle-dot": CircleDot,
  "circle-x": CircleX,
  clock: Clock,
  copy: Copy,
  download: Download,
  more: Ellipsis,
  eye: Eye,
  "eye-off": EyeOff,
  "file-diff": FileDiff,
  "file-minus": FileMinus,
  "file-pen": FilePen,
  "file-plus": FilePlus,
  "file-search": FileSearch,
  "file-text": FileText,
  flask: FlaskConical,
  folder: Folder,
  globe: Globe,
  hand: Hand,
  inbox: Inbox,
  info: Info,
  keyboard: Keyboard,
  key: KeyRound,
  layers: Layers,
  steps: ListChecks,
  todo: ListTodo,
  lock: Lock,
  words: MessageSquareText,
  sessions: MessagesSquare,
  pencil: Pencil,
  play: Play,
  plug: Plug,
  connect: PlugZap,
  plus: Plus,
  redo: Redo2,
  refresh: RefreshCw,
  repeat: Repeat,
  restore: RotateCcw,
  audit: ScrollText,
  search: Search,
  server: Server,
  settings: Settings2,
  shield: Shield,
  policy: ShieldCheck,
  question: ShieldQuestionMark,
  square: Square,
  "square-terminal": SquareTerminal,
  terminal: Terminal,
  "text-search": TextSearch,
  trash: Trash2,
  warning: TriangleAlert,
  undo: Undo2,
  offline: WifiOff,
  tools: Wrench,
  close: X,
  "zoom-in": ZoomIn,
  "zoom-out": ZoomOut,
} as const;

export type IconName = keyof typeof icons;

export function Icon({
  name,
  small = false,
  class: extra = "",
}: {
  readonly name: IconName;
  readonly small?: boolean;
  readonly class?: string;
}) {
  return (
    <svg class={`icon${small ? " small" : ""}${extra === "" ? "" : ` ${extra}`}`} viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes]) => h(tag, attributes as object))}
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect x="1" y="1" width="22" height="22" rx="6" fill="var(--accent-fill)" />
      <path
        d="M8.5 6.5v11M15.8 6.5 9.6 12l6.2 5.5"
        fill="none"
        stroke="#fff"
        stroke-width="2.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
