-- The manual in a download has pages and pictures. Links to its pages lead to these; those to sources become plain text.
function Link(link)
  local target, part = link.target:match("^([^#]*)(.*)$")
  if target == "" or target:match("^%a+:") then
    return link
  end
  if not target:match("%.md$") or target:match("CONTRIBUTING") or target:match("ARCHITECTURE") then
    return link.content
  end
  link.target = target:gsub("%.md$", ".html") .. part
  return link
end
