def a
  p x
end; def b
  p x
end
p x
