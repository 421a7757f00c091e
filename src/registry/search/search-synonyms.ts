/**
 * A short list of words that stand for each other in the world of tools, and the phrases that count as one word.
 * Groups are separated by `;`; an underscore joins the words of a phrase. Owns language, not tools: nothing here is written so
 * that one particular catalogue comes out right.
 */
import { stem } from "./search-words.ts";

/** A word and how much it counts for the one asked. */
export interface Alternative {
  readonly term: string;
  readonly weight: number;
}

const synonymWeight = 0.85;

const same = `
get fetch retrieve obtain; show display view; search find lookup look_up seek; create make new; delete remove erase
cancel abort call_off; stop halt; start begin launch; start turn_on switch_on power_on boot
stop turn_off switch_off power_off shut_down shutdown; enable activate turn_on switch_on; disable deactivate turn_off switch_off
run execute; invoke call trigger; update edit change modify alter; rename relabel; replace substitute swap; copy duplicate clone
send deliver transmit dispatch; forward pass_on relay; reply answer respond; publish post; upload put; download pull
merge combine put_together concatenate unite; split divide separate; compare diff difference; check verify validate
analyze examine inspect; calculate compute work_out; summarize condense summary sum_up tldr tl_dr gist digest recap
translate translation; approve accept confirm; reject decline refuse deny turn_down; complete finish mark_done check_off tick_off tick
undo revert rollback roll_back; restore recover bring_back get_back undelete; backup back_up; compress zip
extract unzip unpack decompress uncompress; encrypt encipher; recommend suggest; book reserve reservation booking; buy purchase
login log_in sign_in authenticate; register sign_up enroll; unsubscribe opt_out; mute silence snooze; remind reminder
detect recognize identify; select choose pick; navigate go_to visit; deploy roll_out rollout ship; restart reboot; resize scale
enlarge upscale; configure setup set_up configuration; crawl scrape spider; email mail e_mail; spam junk; sms text_message
call phone telephone phone_call; user account; person people human; customer client; company business organization firm; employee staff
candidate applicant; job position vacancy; salary wage pay; vacation time_off holiday leave pto; meeting conference
video_call video_conference online_meeting; calendar agenda; event appointment; available free availability; participant attendee
transcript transcription; task todo to_do; deadline due_date due; document doc; wiki knowledge_base; spreadsheet sheet excel workbook
chart graph; presentation slides slide_deck deck powerpoint slide; folder directory; revision version; permission access right privilege
password passphrase; contract agreement; law statute legislation; lead prospect potential_customer; invoice bill
refund reimburse money_back; dispute chargeback contest; discount coupon voucher promo_code promotion; supplier vendor; stock inventory
product item; store shop; cart basket; review opinion; rating score; comment remark; advertisement ad ads advertising advert
website site web_site; web_page webpage page; crypto cryptocurrency; exchange_rate currency_rate; bug defect issue ticket
error exception; stack_trace traceback backtrace; repository repo; pull_request pr merge_request mr; code source_code source
package library dependency; vulnerability weakness security_hole cve; malicious dangerous harmful phishing; leak breach data_breach
ci continuous_integration; production prod; log logs logging; incident outage; on_call on_duty; metric metrics
virtual_machine vm instance; kubernetes k8s; container docker; serverless lambda cloud_function; environment_variable env_var
database db; url link hyperlink; screenshot screen_capture screen_shot; dropdown drop_down; regex regular_expression regexp
hash checksum digest; uuid guid; feature_flag feature_toggle; machine_learning ml; mockup wireframe; color colour; weather forecast
air_quality pollution smog; coordinate latitude longitude; near nearby; directions route; taxi cab; car vehicle automobile
train railway rail; bus coach; subway metro underground tube; flight plane airplane airfare; hotel accommodation lodging; apartment flat
restaurant eatery; recipe dish; calorie kcal; workout exercise training; doctor physician; drug medicine medication pill
disease illness; paper article publication; encyclopedia wikipedia; math mathematics; average mean; outlier anomaly; news headline
grammar spelling; typo misspelling spelling_mistake; definition meaning; paraphrase rephrase reword rewrite; speech voice
text_to_speech tts read_aloud; transcribe speech_to_text dictation; picture image photo photograph; video clip; movie film
subtitle caption; song track tune; music song; light lamp bulb; parcel package shipment; carrier courier; quiz test exam
homework assignment; earthquake quake seismic; current right_now now; latest newest recent; remember memorize; statistics stats
schedule timetable; address location; price cost; fare price; amount quantity sum; house home; terminal shell; bash shell command
cmd command; str string; doc document; info information details; delay late; percentage percent; picture pic
`;

/** `pull_request` and the words `pull request` have the same stem. */
export function phraseStem(phrase: string): string {
  return phrase.split("_").map(stem).join("_");
}

interface Synonyms {
  readonly alternatives: ReadonlyMap<string, readonly Alternative[]>;
  /** Phrases by their first word. */
  readonly phrases: ReadonlyMap<string, readonly (readonly string[])[]>;
}

let built: Synonyms | undefined;

/** Made at the first search, never at start-up. */
function synonyms(): Synonyms {
  built ??= build();
  return built;
}

function build(): Synonyms {
  const links = new Map<string, Set<string>>();
  const phrases = new Map<string, string[][]>();
  for (const group of same.trim().split(/;\s*|\n/)) {
    const terms = group.split(" ").map(phraseStem);
    for (const term of terms) {
      const parts = term.split("_");
      const [first = ""] = parts;
      if (parts.length > 1 && !links.has(term)) phrases.set(first, [...(phrases.get(first) ?? []), parts]);
      const others = links.get(term) ?? new Set();
      links.set(term, others);
      for (const other of terms) if (other !== term) others.add(other);
    }
  }
  const alternatives = new Map(
    [...links].map(([term, others]) => [term, [...others].map((other) => ({ term: other, weight: synonymWeight }))]),
  );
  return { alternatives, phrases };
}

export function synonymsOf(term: string): readonly Alternative[] {
  return synonyms().alternatives.get(term) ?? [];
}

/** Every stem with a synonym, for the correction of misspelled words. */
export function synonymTerms(): readonly string[] {
  return [...synonyms().alternatives.keys()].filter((term) => !term.includes("_"));
}

/** The stem of the longest phrase that starts at `at`, and how many words it takes. */
export function phraseAt(stems: readonly string[], at: number): { readonly term: string; readonly length: number } | undefined {
  const candidates = synonyms().phrases.get(stems[at] ?? "") ?? [];
  const fitting = candidates.filter((parts) => parts.every((part, step) => stems[at + step] === part));
  const [best] = fitting.sort((a, b) => b.length - a.length);
  return best && { term: best.join("_"), length: best.length };
}
